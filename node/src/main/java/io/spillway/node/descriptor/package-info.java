/**
 * How tasks of other users than the node's write into its memory: they ask at a Unix socket, and
 * get open files.
 */
package io.spillway.node.descriptor;
