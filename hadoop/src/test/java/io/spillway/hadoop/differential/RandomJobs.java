// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.store.tier.StoreKeys;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Draws jobs and engines from all dimensions of the matrix, by a seed. */
final class RandomJobs {
    private static final List<Engine> ENGINES =
            List.of(
                    Engine.SPILLWAY_MAP,
                    Engine.SPILLWAY_REDUCE,
                    Engine.SPILLWAY_REDUCE_TIGHT,
                    Engine.SPILLWAY_FULL,
                    Engine.SPILLWAY_TIGHT,
                    Engine.SPILLWAY_MIXED_NODES,
                    Engine.SPILLWAY_MIXED_NODES_TIGHT);
    private static final List<Codec> CODECS =
            List.of(Codec.NONE, Codec.NONE, Codec.DEFAULT, Codec.GZIP, Codec.SNAPPY);
    private static final List<ValueKind> VALUES =
            List.of(
                    ValueKind.LONG,
                    ValueKind.TEXT,
                    ValueKind.NULL,
                    ValueKind.ECHO,
                    ValueKind.BYTES_100,
                    ValueKind.BYTES_VARIED);
    private static final int MOST_RECORDS = 1500;
    private static final int MANY_RECORDS = 12_000;

    /** Of 3 kB on the mean. */
    private static final int MANY_VARIED_RECORDS = 2_400;

    /** Few and many of which are less than a small job's data for one reducer. */
    private static final List<String> BUDGETS = List.of("64k", "200k", "1m", "2m", "16m");

    /** The same for a large job. */
    private static final List<String> LARGE_BUDGETS = List.of("256k", "1m", "4m", "16m");

    private final SplittableRandom random;

    RandomJobs(final long seed) {
        random = new SplittableRandom(seed);
    }

    Engine engine() {
        return oneOf(ENGINES);
    }

    JobSpec spec() {
        final JobSpec.Builder job = job().seed(random.nextLong());
        job.maps(1 + random.nextInt(9)).reducers(1 + random.nextInt(7));
        job.records(random.nextInt(MOST_RECORDS));
        job.codec(oneOf(CODECS));
        if (random.nextInt(4) == 0) {
            combine(job);
        } else {
            sort(job);
        }
        mapSide(job);
        budget(job, BUDGETS);
        reduceSide(job);
        if (random.nextInt(4) == 0) {
            job.set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
        }
        return job.build();
    }

    private void combine(final JobSpec.Builder job) {
        job.keys(oneOf(List.of(KeyKind.BYTE, KeyKind.TEXT, KeyKind.BYTES, KeyKind.VINT)))
                .api(oneOf(List.of(Api.values())));
        if (random.nextBoolean()) {
            job.combiner(oneOf(List.of(Combining.SUM, Combining.OLD_SUM))).reducer(ReduceStyle.SUM);
        } else {
            job.combiner(oneOf(List.of(Combining.DISTINCT, Combining.OLD_DISTINCT)))
                    .values(ValueKind.TEXT)
                    .reducer(ReduceStyle.DISTINCT);
        }
    }

    private void sort(final JobSpec.Builder job) {
        final KeyKind keys = oneOf(List.of(KeyKind.values()));
        final Ordering ordering = oneOf(orderings(keys));
        job.keys(keys).ordering(ordering).values(oneOf(VALUES));
        if (keys == KeyKind.TEXT_HUGE) {
            job.records(random.nextInt(60)).maps(2);
        }
        if (ordering.groups()) {
            job.partitioning(Partitioning.BY_PRIMARY);
        } else {
            job.partitioning(
                    oneOf(
                            List.of(
                                    Partitioning.HASH,
                                    Partitioning.ALL_TO_LAST,
                                    Partitioning.EVEN_ONLY)));
        }
        if (!ordering.differentKeysCompareEqual()) {
            final Api api = oneOf(List.of(Api.values()));
            job.api(api).reducer(oneOf(reducers(api)));
        }
    }

    private static List<Ordering> orderings(final KeyKind keys) {
        return switch (keys) {
            case TEXT, TEXT_LONG_PREFIX, TEXT_ZEROS, TEXT_EMPTY, TEXT_UNICODE, TEXT_HUGE ->
                    List.of(Ordering.NATURAL, Ordering.REVERSE_TEXT, Ordering.SHORT_TEXT_FIRST);
            case TEXT_MIXED_CASE -> List.of(Ordering.NATURAL, Ordering.CASE_INSENSITIVE);
            case TEXT_FIELDS -> List.of(Ordering.NATURAL, Ordering.KEY_FIELD);
            case TEXT_PRIMARY -> List.of(Ordering.SECONDARY_TEXT, Ordering.SECONDARY_REVERSE);
            case PAIR -> List.of(Ordering.NATURAL, Ordering.SECONDARY_PAIR, Ordering.FIRST_OF_PAIR);
            case INT -> List.of(Ordering.NATURAL, Ordering.REVERSE_INT);
            case LONG -> List.of(Ordering.NATURAL, Ordering.DECREASING_LONG);
            case JAVA_STRING -> List.of(Ordering.JAVA);
            default -> List.of(Ordering.NATURAL);
        };
    }

    private static List<ReduceStyle> reducers(final Api api) {
        return api.newReducer()
                ? List.of(ReduceStyle.ALL, ReduceStyle.PARTIAL, ReduceStyle.MARK_RESET)
                : List.of(ReduceStyle.ALL, ReduceStyle.PARTIAL);
    }

    private void mapSide(final JobSpec.Builder job) {
        job.mapper(
                oneOf(
                        List.of(
                                MapStyle.PLAIN,
                                MapStyle.PLAIN,
                                MapStyle.MULTITHREADED,
                                MapStyle.ODD_MAPS_SILENT)));
        if (random.nextInt(3) == 0) {
            job.set(MRJobConfig.IO_SORT_MB, 1)
                    .set(MRJobConfig.IO_SORT_FACTOR, 2 + random.nextInt(9))
                    .set(HadoopKeys.SPILL_TIERS.name(), "heap,disk")
                    .set(StoreKeys.SPILL_HEAP_LIMIT.name(), oneOf(List.of("0", "300k", "4m")));
        }
        if (random.nextInt(6) == 0) {
            job.set(EngineKeys.SORT_PREFIX.name(), false);
        }
    }

    /** What a reducer may use, or nothing: a fraction of its heap. */
    private void budget(final JobSpec.Builder job, final List<String> choices) {
        if (random.nextInt(4) != 0) {
            job.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), oneOf(choices))
                    .set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "1k");
        }
    }

    private void reduceSide(final JobSpec.Builder job) {
        if (random.nextBoolean()) {
            job.set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), oneOf(List.of("4k", "32k", "1m")))
                    .set(
                            ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT.name(),
                            oneOf(List.of(1, 2, 16, 1024)));
        }
        if (random.nextInt(4) == 0) {
            job.set(LoopbackNodes.BUSY, true);
        }
        if (random.nextInt(4) == 0) {
            job.set(LocalJobRunner.LOCAL_MAX_MAPS, 3).set(LocalJobRunner.LOCAL_MAX_REDUCES, 3);
        }
    }

    /** A large job: spills on the map side, small budgets on the reduce side. */
    JobSpec largeSpec() {
        final JobSpec.Builder job =
                job().seed(random.nextLong())
                        .keys(
                                oneOf(
                                        List.of(
                                                KeyKind.TEXT_ZEROS,
                                                KeyKind.BYTES_LONG,
                                                KeyKind.LONG,
                                                KeyKind.PLAIN_TEXT)))
                        .values(ValueKind.BYTES_100)
                        .maps(2 + random.nextInt(2))
                        .reducers(1 + random.nextInt(3))
                        .records(MANY_RECORDS)
                        .codec(oneOf(CODECS))
                        .set(MRJobConfig.IO_SORT_MB, 1)
                        .set(MRJobConfig.IO_SORT_FACTOR, 2 + random.nextInt(9));
        budget(job, LARGE_BUDGETS);
        reduceSide(job);
        return job.build();
    }

    /** A job whose only reducer gets more than the 16 MB that it may use. */
    JobSpec overflowingSpec() {
        final JobSpec.Builder job =
                job().seed(random.nextLong())
                        .keys(oneOf(List.of(KeyKind.TEXT, KeyKind.BYTES_LONG, KeyKind.LONG)))
                        .values(ValueKind.BYTES_VARIED)
                        .maps(3)
                        .reducers(1)
                        .records(MANY_VARIED_RECORDS)
                        .set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "16m");
        reduceSide(job);
        return job.build();
    }

    private <T> T oneOf(final List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
