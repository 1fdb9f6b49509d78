/**
 * The transport over TCP: pure Java, on the Netty that Hadoop ships.
 *
 * <p>{@link io.spillway.transport.tcp.TcpTransport} is the client; {@link
 * io.spillway.transport.tcp.TcpSegmentServer} serves connections, either those that a {@link
 * io.spillway.transport.tcp.TcpListener} accepts or those that a {@link
 * io.spillway.transport.tcp.ProtocolSwitch} finds on a port shared with HTTP.
 */
package io.spillway.transport.tcp;
