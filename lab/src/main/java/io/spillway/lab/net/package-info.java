/**
 * The network benchmark: fetches and puts over Spillway's transports between two processes, next to
 * UCX's own test and the MPI library. {@link io.spillway.lab.net.NetNode} and {@link
 * io.spillway.lab.net.NetClient} are the processes; {@link io.spillway.lab.net.NetBenchmark} starts
 * them and has them measure.
 */
package io.spillway.lab.net;
