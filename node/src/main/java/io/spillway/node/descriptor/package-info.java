/**
 * Lets tasks of other users than the node's write into its memory: they connect to a Unix socket
 * and receive open files.
 */
package io.spillway.node.descriptor;
