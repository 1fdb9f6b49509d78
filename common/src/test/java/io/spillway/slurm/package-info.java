/** The batch system of tests. */
package io.spillway.slurm;
