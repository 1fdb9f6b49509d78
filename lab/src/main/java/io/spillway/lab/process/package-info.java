/**
 * Processes that live on without the one that has started them: how they are known, found and
 * ended.
 */
package io.spillway.lab.process;
