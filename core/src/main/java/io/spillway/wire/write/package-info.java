/**
 * The frames of what brings bytes to a node: puts, commits, aborts and calls, and their answers.
 */
package io.spillway.wire.write;
