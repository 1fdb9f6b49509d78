/** Starts node processes as children of a NodeManager, and keeps them running. */
package io.spillway.node.launch;
