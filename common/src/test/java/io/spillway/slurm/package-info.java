/** The batch system that tests run in. */
package io.spillway.slurm;
