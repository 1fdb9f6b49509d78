/** Map outputs in a directory of a file system that all hosts share. */
package io.spillway.store.shared;
