/**
 * MPI for the network benchmark: a world of ranks that are JVMs, and a program in C that measures
 * the library itself.
 */
package io.spillway.bench.net.mpi;
