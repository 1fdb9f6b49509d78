// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.ShuffleCounter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Runs a job on stock Hadoop and on another engine and compares what comes out. */
final class Differential {
    private static final List<String> ALWAYS =
            List.of(
                    "MAP_INPUT_RECORDS",
                    "MAP_OUTPUT_RECORDS",
                    "REDUCE_INPUT_GROUPS",
                    "REDUCE_OUTPUT_RECORDS",
                    "SHUFFLED_MAPS",
                    "FAILED_SHUFFLE");

    /** How many records a combiner leaves depends on where spills end. */
    private static final List<String> WITHOUT_COMBINER =
            List.of("REDUCE_INPUT_RECORDS", "COMBINE_INPUT_RECORDS", "COMBINE_OUTPUT_RECORDS");

    /** The header of an encrypted segment, which stock does not count as shuffled. */
    private static final long CIPHER_HEADER = 24;

    private static final int REMEMBERED = 8;
    private static final Map<JobSpec, JobResult> REFERENCES =
            new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(final Map.Entry<JobSpec, JobResult> eldest) {
                    return size() > REMEMBERED;
                }
            };

    // Where an empty key ends up at the very end of stock's ring of records, its length is less
    // than 0 to stock (MapTask.MapOutputBuffer.compare). Only an assertion minds, which no cluster
    // has; whether a spill begins there depends on its thread.
    static {
        Differential.class
                .getClassLoader()
                .setClassAssertionStatus("org.apache.hadoop.io.NullWritable", false);
    }

    private Differential() {}

    /** Every job on every engine, each job's runs side by side: they share one reference. */
    static Stream<Arguments> matrix(final Stream<JobSpec.Builder> jobs, final Engine... engines) {
        return jobs.map(JobSpec.Builder::build)
                .flatMap(job -> Stream.of(engines).map(engine -> Arguments.of(job, engine)));
    }

    /** The stock engine's result of a job that has to succeed. */
    static JobResult reference(final JobSpec spec) throws Exception {
        final JobResult reference = stock(spec);
        assertThat(reference.failure()).as("stock Hadoop's own run").isEmpty();
        return reference;
    }

    /** Runs a job that stock Hadoop completes; output and counters must be the same. */
    static JobResult assertSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        final JobResult expected = reference(spec);
        final JobResult actual = JobRunner.run(spec, engine);
        assertThat(actual.failure()).as("failure").isEmpty();
        assertSameLines(spec, expected, actual);
        assertSameCounters(spec, expected, actual);
        engine.spillwayFetchesFrom().ifPresent(layout -> assertFetched(spec, layout, actual));
        return actual;
    }

    /** Runs a job on an engine that has to retry; the output must be the same all the same. */
    static void assertSameOutputAfterRetries(final JobSpec spec, final Engine engine)
            throws Exception {
        final JobResult expected = reference(spec);
        final JobResult actual = JobRunner.run(spec, engine);
        assertThat(actual.failure()).as("failure").isEmpty();
        assertSameLines(spec, expected, actual);
    }

    /** Runs a job that stock Hadoop fails; the errors must be the same to the letter. */
    static void assertSameFailure(final JobSpec spec, final Engine engine) throws Exception {
        final JobResult expected = stock(spec);
        assertThat(expected.failure()).as("stock Hadoop's own failure").isNotEmpty();
        assertThat(JobRunner.run(spec, engine).failure()).isEqualTo(expected.failure());
    }

    /** Runs a job that must give what stock Hadoop gives for another one. */
    static void assertSameOutputAs(final JobSpec reference, final JobSpec spec, final Engine engine)
            throws Exception {
        final JobResult expected = reference(reference);
        final JobResult actual = JobRunner.run(spec, engine);
        assertThat(actual.failure()).as("failure").isEmpty();
        assertSameLines(spec, expected, actual);
        assertSameCounters(List.of("MAP_OUTPUT_RECORDS"), expected, actual);
    }

    /** Runs a job that stock Hadoop completes or not: it must end alike, with the same output. */
    static void assertSameEnd(final JobSpec spec, final Engine engine) throws Exception {
        final JobResult expected = stock(spec);
        final JobResult actual = JobRunner.run(spec, engine);
        assertThat(actual.succeeded())
                .as("success; stock: %s; here: %s", expected.failure(), actual.failure())
                .isEqualTo(expected.succeeded());
        if (expected.succeeded()) {
            assertSameLines(spec, expected, actual);
            assertSameCounters(List.of("MAP_OUTPUT_RECORDS"), expected, actual);
        }
    }

    private static JobResult stock(final JobSpec spec) throws Exception {
        synchronized (REFERENCES) {
            final JobResult known = REFERENCES.get(spec);
            if (known != null) {
                return known;
            }
            final JobResult result = JobRunner.run(spec, Engine.STOCK);
            REFERENCES.put(spec, result);
            return result;
        }
    }

    private static void assertSameLines(
            final JobSpec spec, final JobResult expected, final JobResult actual) {
        assertThat(actual.partitions()).hasSameSizeAs(expected.partitions());
        for (int partition = 0; partition < spec.reducers(); partition++) {
            assertSameLines(
                    partition,
                    expected.partitions().get(partition),
                    actual.partitions().get(partition));
        }
    }

    /** One reducer's output must be as expected. */
    static void assertSameLines(
            final int partition,
            final List<OutputReader.Line> expected,
            final List<OutputReader.Line> actual) {
        final int common = Math.min(expected.size(), actual.size());
        for (int i = 0; i < common; i++) {
            assertThat(actual.get(i))
                    .as("partition %d, line %d", partition, i)
                    .isEqualTo(expected.get(i));
        }
        assertThat(actual.size()).as("lines of partition %d", partition).isEqualTo(expected.size());
    }

    private static void assertSameCounters(
            final JobSpec spec, final JobResult expected, final JobResult actual) {
        assertSameCounters(ALWAYS, expected, actual);
        if ((spec.codec() == Codec.NONE && !spec.encrypted()) || !spec.hugeRecords()) {
            // For a record that is larger than the sort buffer stock counts the bytes written
            // so far: compressed bytes, without those in the cipher's buffer.
            assertSameCounters(List.of("MAP_OUTPUT_BYTES"), expected, actual);
        }
        if (!spec.combines()) {
            assertSameCounters(WITHOUT_COMBINER, expected, actual);
        }
        // How far a codec compresses depends on the order of equal keys.
        if (!spec.combines() && spec.codec() == Codec.NONE) {
            assertSameCounters(List.of("MAP_OUTPUT_MATERIALIZED_BYTES"), expected, actual);
        }
        if (!spec.combines() && spec.codec() == Codec.NONE && !spec.reducersStopEarly()) {
            assertSameCounters(List.of("REDUCE_SHUFFLE_BYTES"), expected, actual);
        }
        actual.counters()
                .forEach(
                        (name, value) -> {
                            if (name.startsWith("Shuffle Errors")) {
                                assertThat(value).as(name).isZero();
                            }
                        });
    }

    /** Spillway's shuffle has really fetched all there was, and by the path it should. */
    private static void assertFetched(
            final JobSpec spec, final LoopbackNodes.Layout layout, final JobResult actual) {
        final long content = actual.counter("REDUCE_SHUFFLE_BYTES");
        final long headers = spec.encrypted() ? CIPHER_HEADER * spec.maps() * spec.reducers() : 0;
        final long bytes = content + headers;
        final long spillway = actual.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES);
        final long http = actual.figure(ShuffleCounter.FETCH_HTTP_BYTES);
        assertThat(actual.figure(ShuffleCounter.STOCK_FALLBACKS)).as("stock fallbacks").isZero();
        if (spec.mapsRunAgain()) {
            assertThat(spillway + http).as("bytes fetched").isGreaterThanOrEqualTo(bytes);
        } else {
            assertThat(spillway + http).as("bytes fetched").isEqualTo(bytes);
        }
        if (bytes == 0) {
            return;
        }
        switch (layout) {
            case SPILLWAY, CUT, FLIP -> assertThat(http).as("bytes over HTTP").isZero();
            case STOCK -> assertThat(spillway).as("bytes over Spillway").isZero();
            case MIXED -> {
                assertThat(spillway).as("bytes over Spillway").isPositive();
                if (spec.maps() > 1) {
                    assertThat(http).as("bytes over HTTP").isPositive();
                }
            }
        }
    }

    private static void assertSameCounters(
            final List<String> names, final JobResult expected, final JobResult actual) {
        for (final String name : names) {
            assertThat(actual.counter(name)).as(name).isEqualTo(expected.counter(name));
        }
    }
}
