/**
 * The protocol of Spillway on connections that carry bytes in their order, in Netty's terms: what a
 * client says and what a node answers, whatever the connection is made of. Sockets ({@code
 * transport.tcp}) are one way, streams of messages between the ranks of an MPI world
 * (transport-mpi) another.
 *
 * <p>{@link io.spillway.stream.server.StreamServer} makes the handler of each connection of a node;
 * {@link io.spillway.stream.client.HandshakeHandler} is the first handler of a client's.
 */
package io.spillway.stream;
