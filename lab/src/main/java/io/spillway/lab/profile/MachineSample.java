// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

/**
 * A sample of the machine and of a job at one moment.
 *
 * @param seconds since the program that submits the job was started
 * @param progress of the job
 * @param cpuPercent use of all processors of the machine since the previous sample
 * @param memoryMegabytes used memory of the machine, without page cache
 * @param diskOperations of all disks of the machine, a second, since the previous sample
 * @param receivedMegabytes that a host with tasks receives a second, since the previous sample, as
 *     the mean of all hosts
 */
public record MachineSample(
        double seconds,
        Progress progress,
        double cpuPercent,
        double memoryMegabytes,
        double diskOperations,
        double receivedMegabytes) {
    /**
     * The progress of a job.
     *
     * @param mapPercent progress of its maps
     * @param reducePercent progress of its reduces
     */
    public record Progress(int mapPercent, int reducePercent) {}
}
