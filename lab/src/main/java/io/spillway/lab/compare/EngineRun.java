// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.engine.EngineConfig;
import java.util.List;

/**
 * One run of one engine.
 *
 * @param engine which, and over which transport
 * @param repeat the round, from 1
 * @param figures what the job history tells
 * @param output what the output's part files hold
 */
public record EngineRun(
        EngineConfig engine, int repeat, JobFigures figures, List<PartDigest> output) {
    /** Copies what is mutable. */
    public EngineRun {
        output = List.copyOf(output);
    }
}
