/**
 * Segments between the ranks of an MPI world: the node processes of the hosts are its ranks, and
 * tasks come to the rank of their host. The protocol is that of {@link io.spillway.stream}, on
 * streams that MPI carries.
 */
package io.spillway.transport.mpi;
