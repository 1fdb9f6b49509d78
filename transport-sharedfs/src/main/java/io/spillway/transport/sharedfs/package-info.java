/**
 * The way through a shared file system: reducers read outputs where they lie, each piece by this
 * way or from the node, whichever takes less.
 */
package io.spillway.transport.sharedfs;
