/** Where spills live. */
package io.spillway.store;
