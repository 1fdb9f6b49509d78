/** The side of a node: ports of its own, or shared with another protocol. */
package io.spillway.transport.tcp.server;
