/** The node's end of the ucx transport. */
package io.spillway.transport.ucx.server;
