// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

/**
 * The outputs of one job in a store.
 *
 * @param jobId of the outputs
 * @param outputs the number of complete and incomplete outputs
 * @param bytes of memory, files and heap together
 */
public record JobHolding(String jobId, int outputs, long bytes) {}
