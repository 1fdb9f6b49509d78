/** What both ends of a stream over MPI share: a Netty channel, and the names of its ends. */
package io.spillway.transport.mpi.channel;
