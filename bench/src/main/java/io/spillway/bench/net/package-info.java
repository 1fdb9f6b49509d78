/**
 * The network benchmark: Spillway's transports between two processes, next to raw sockets, UCX's
 * own test and the MPI library. {@link io.spillway.bench.net.NetServerMain} and {@link
 * io.spillway.bench.net.NetClientMain} are the two processes; the rest of Spillway's command line
 * starts them and draws what they found.
 */
package io.spillway.bench.net;
