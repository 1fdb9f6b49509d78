// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.spillway.cli.run.JobFigures;
import io.spillway.lab.engine.EngineConfig;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one engine took for one size of input. What is unknown is null.
 *
 * @param bytes of the input
 * @param engine by its name
 * @param tailSeconds from the last map's end to the job's end: the median of the runs
 * @param wallSeconds of the job: the median of the runs
 * @param bufferBytes the most that a reducer's shuffle buffer held in any run
 * @param budgetBytes what it may hold
 * @param physicalBytes the largest resident set of a reducer in any run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScalePoint(
        long bytes,
        String engine,
        double tailSeconds,
        double wallSeconds,
        Double bufferBytes,
        Double budgetBytes,
        Double physicalBytes) {

    static ScalePoint of(final ComparisonResult result, final EngineConfig engine) {
        final List<JobFigures> jobs = result.of(engine);
        return new ScalePoint(
                result.plan().bytes(),
                engine.label(),
                median(jobs, job -> job.stages().tail() / 1e3),
                median(jobs, job -> job.wallMillis() / 1e3),
                most(jobs, Measure::peakBufferBytes),
                most(jobs, Measure::budgetBytes),
                most(jobs, Measure::physicalBytes));
    }

    private static double median(
            final List<JobFigures> jobs, final ToDoubleFunction<JobFigures> value) {
        return Spread.of(jobs.stream().map(value::applyAsDouble).toList()).median();
    }

    private static Double most(
            final List<JobFigures> jobs, final ToDoubleFunction<JobFigures> value) {
        return jobs.stream()
                .map(value::applyAsDouble)
                .filter(known -> !known.isNaN())
                .max(Double::compare)
                .orElse(null);
    }
}
