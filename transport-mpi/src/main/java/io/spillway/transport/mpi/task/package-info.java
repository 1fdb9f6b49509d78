/** A task's side: streams through the rank of its host, which it reaches by a Unix socket. */
package io.spillway.transport.mpi.task;
