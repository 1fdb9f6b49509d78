/** {@code spillway doctor} on many hosts at the same time, by ssh or srun. */
package io.spillway.cli.doctor.remote;
