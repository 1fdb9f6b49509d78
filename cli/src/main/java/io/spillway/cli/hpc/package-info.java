/** A Hadoop that lives as long as an allocation of a batch system. */
package io.spillway.cli.hpc;
