/**
 * A rank of the world: one thread that makes all calls of MPI, and streams between ranks made of
 * messages that are matched by tag. Small pieces of a stream go in the message that announces them,
 * large ones in a message of their own, which the receiver asks for when it has the memory.
 */
package io.spillway.transport.mpi.world;
