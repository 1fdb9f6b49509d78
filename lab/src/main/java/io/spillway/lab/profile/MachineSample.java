// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

/**
 * What was going on at one moment of a job.
 *
 * @param seconds since the program that submits the job was started
 * @param progress of the job
 * @param cpuPercent of all processors of the machine in use since the sample before
 * @param memoryMegabytes of the machine in use, page cache not counted
 * @param diskOperations a second of all disks of the machine since the sample before
 * @param receivedMegabytes a second that a host with tasks receives since the sample before, the
 *     mean of all
 */
public record MachineSample(
        double seconds,
        Progress progress,
        double cpuPercent,
        double memoryMegabytes,
        double diskOperations,
        double receivedMegabytes) {
    /**
     * How far a job is.
     *
     * @param mapPercent of its maps that is done
     * @param reducePercent of its reduces
     */
    public record Progress(int mapPercent, int reducePercent) {}
}
