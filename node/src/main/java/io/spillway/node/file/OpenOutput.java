// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.file;

/**
 * A map output, or a run of one, with its open file.
 *
 * @param jobId the job
 * @param attempt the map attempt
 * @param file the data; the creator of this record holds a reference on it
 * @param index where some of its segments lie
 */
public record OpenOutput(String jobId, String attempt, OpenFile file, IndexPage index) {}
