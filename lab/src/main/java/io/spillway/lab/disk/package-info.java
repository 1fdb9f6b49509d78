/**
 * A disk that all hosts share and that is slow, emulated on one machine: what SEMem's evaluation
 * (Euro-Par 2017) calls the central disk, with which stock Hadoop runs on supercomputers whose
 * compute hosts have no disk. {@link io.spillway.lab.disk.CentralDiskFileSystem} is the local file
 * system of such a job's tasks.
 */
package io.spillway.lab.disk;
