// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

/**
 * What a store holds of one job.
 *
 * @param jobId whose
 * @param outputs whole ones, and those on their way
 * @param bytes that they take of memory, files and heap together
 */
public record JobHolding(String jobId, int outputs, long bytes) {}
