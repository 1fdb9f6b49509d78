/** The MPI libraries that tests run with. */
package io.spillway.mpi;
