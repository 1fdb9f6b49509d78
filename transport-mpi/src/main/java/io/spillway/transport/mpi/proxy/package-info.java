/**
 * The rank as the way of its host's tasks to other ranks: tasks never call MPI. What arrives for a
 * task is received by MPI into memory that the task has mapped, and what it sends is sent from
 * there.
 */
package io.spillway.transport.mpi.proxy;
