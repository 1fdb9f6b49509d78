/** The launchers of MPI libraries, and how they start the ranks of a world. */
package io.spillway.lab.mpi;
