/**
 * The transport over TCP: pure Java, on the Netty that Hadoop ships.
 *
 * <p>{@link io.spillway.transport.tcp.TcpTransport} is the client; {@link
 * io.spillway.stream.server.StreamServer} serves connections, either those that a {@link
 * io.spillway.transport.tcp.server.TcpListener} accepts or those that a {@link
 * io.spillway.transport.tcp.server.ProtocolSwitch} finds on a port shared with HTTP.
 */
package io.spillway.transport.tcp;
