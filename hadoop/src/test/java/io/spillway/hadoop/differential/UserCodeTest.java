// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.differential.FaultyCode.Event;
import io.spillway.hadoop.differential.FaultyCode.Manner;
import io.spillway.hadoop.differential.FaultyCode.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.lib.MultithreadedMapRunner;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A job's own code that throws once, or interrupts its thread, at each place where it is called: a
 * job ends as it does on stock Hadoop, whatever its mapper catches, and with the same output.
 */
class UserCodeTest {
    private static final int SPILLING = 32_000;
    private static final int FITTING = 300;

    static Stream<Arguments> jobs() {
        final List<JobSpec.Builder> jobs = new ArrayList<>();
        for (final Api api : List.of(Api.NEW, Api.OLD)) {
            addMappers(jobs, api);
            addSpills(jobs, api);
            addSerializers(jobs, api);
        }
        return Differential.matrix(jobs.stream(), Engine.SPILLWAY_MAP);
    }

    private static void addMappers(final List<JobSpec.Builder> jobs, final Api api) {
        for (final Place place : List.of(Place.SETUP, Place.MAP, Place.CLEANUP)) {
            jobs.add(job(api, place, Event.UNCHECKED, Manner.PASSES, FITTING));
        }
        for (final Manner manner : Manner.values()) {
            jobs.add(job(api, Place.PARTITIONER, Event.UNCHECKED, manner, FITTING));
        }
    }

    /** What throws in a spill has lost records, whatever the mapper makes of it. */
    private static void addSpills(final List<JobSpec.Builder> jobs, final Api api) {
        for (final Place place : List.of(Place.COMPARATOR, Place.COMBINER, Place.CODEC)) {
            for (final Manner manner : Manner.values()) {
                jobs.add(job(api, place, Event.UNCHECKED, manner, SPILLING));
            }
            jobs.add(job(api, place, Event.ERROR, Manner.GIVES_UP, SPILLING));
            jobs.add(job(api, place, Event.UNCHECKED, Manner.CATCHES, FITTING));
            jobs.add(threads(job(api, place, Event.UNCHECKED, Manner.CATCHES, SPILLING), api));
        }
    }

    /** A record that was refused is missing, or comes once where the mapper tries again. */
    private static void addSerializers(final List<JobSpec.Builder> jobs, final Api api) {
        for (final Place place : List.of(Place.KEY_SERIALIZER, Place.VALUE_SERIALIZER)) {
            for (final Manner manner : Manner.values()) {
                jobs.add(job(api, place, Event.CHECKED, manner, FITTING));
            }
            jobs.add(job(api, place, Event.ERROR, Manner.CATCHES, FITTING));
            jobs.add(job(api, place, Event.UNCHECKED, Manner.RETRIES, SPILLING));
        }
        final JobSpec.Builder large = job(api, Place.CODEC, Event.CHECKED, Manner.CATCHES, FITTING);
        jobs.add(large.set(FaultyCode.LARGE, 0).set(FaultyCode.CALL, 2));
    }

    static Stream<Arguments> interruptedJobs() {
        final List<JobSpec.Builder> jobs = new ArrayList<>();
        for (final Api api : List.of(Api.NEW, Api.OLD)) {
            for (final Place place : Place.values()) {
                if (place != Place.NOWHERE) {
                    jobs.add(job(api, place, Event.INTERRUPT, Manner.PASSES, SPILLING));
                }
            }
        }
        return Differential.matrix(jobs.stream(), Engine.SPILLWAY_MAP, Engine.SPILLWAY_TIGHT);
    }

    private static JobSpec.Builder job(
            final Api api,
            final Place place,
            final Event event,
            final Manner manner,
            final int records) {
        final JobSpec.Builder spec =
                JobSpec.job()
                        .api(api)
                        .values(ValueKind.TEXT)
                        .maps(1)
                        .records(records)
                        .set("mapreduce.task.io.sort.mb", 1)
                        .set(FaultyCode.PLACE, place)
                        .set(FaultyCode.EVENT, event)
                        .set(FaultyCode.MANNER, manner)
                        .set(FaultyCode.CALL, 20);
        if (api.newMapper()) {
            spec.set("mapreduce.job.map.class", FaultyMappers.NewMapper.class.getName());
            spec.set("mapreduce.job.reduce.class", FaultyCode.NewReducer.class.getName());
        } else {
            spec.set("mapred.mapper.class", FaultyMappers.OldMapper.class.getName());
            spec.set("mapred.reducer.class", FaultyCode.OldReducer.class.getName());
        }
        return withCode(spec, api, place);
    }

    private static JobSpec.Builder withCode(
            final JobSpec.Builder spec, final Api api, final Place place) {
        final boolean isNew = api.newMapper();
        return switch (place) {
            case SETUP, CLEANUP -> spec.set(FaultyCode.CALL, 1);
            case NOWHERE, MAP, REDUCE -> spec;
            case PARTITIONER ->
                    isNew
                            ? spec.set(
                                    "mapreduce.job.partitioner.class",
                                    FaultyCode.NewPartitioner.class.getName())
                            : spec.set(
                                    "mapred.partitioner.class",
                                    FaultyCode.OldPartitioner.class.getName());
            case COMPARATOR ->
                    spec.set(
                            "mapreduce.job.output.key.comparator.class",
                            FaultyCode.Comparator.class.getName());
            case COMBINER ->
                    isNew
                            ? spec.set(
                                    "mapreduce.job.combine.class",
                                    FaultyCode.NewCombiner.class.getName())
                            : spec.set(
                                    "mapred.combiner.class",
                                    FaultyCode.OldCombiner.class.getName());
            case KEY_SERIALIZER, VALUE_SERIALIZER ->
                    spec.set("io.serializations", FaultyCode.Serialization.class.getName());
            case CODEC ->
                    spec.set("mapreduce.map.output.compress", true)
                            .set(FaultyCode.CALL, 1)
                            .set(
                                    "mapreduce.map.output.compress.codec",
                                    FaultyCode.Codec.class.getName());
        };
    }

    private static JobSpec.Builder threads(final JobSpec.Builder spec, final Api api) {
        return api.newMapper()
                ? spec.set("mapreduce.job.map.class", MultithreadedMapper.class.getName())
                        .set(MultithreadedMapper.MAP_CLASS, FaultyMappers.NewMapper.class.getName())
                        .set(MultithreadedMapper.NUM_THREADS, 3)
                : spec.set("mapred.map.runner.class", MultithreadedMapRunner.class.getName())
                        .set(MultithreadedMapper.NUM_THREADS, 3);
    }

    /**
     * Whether stock itself ends well is chance for some of these: its mapper waits for its spills,
     * and its thread of spills ends. So the job is compared with the undisturbed one.
     */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("interruptedJobs")
    void isNotDisturbedByTheFlagOfItsThread(final JobSpec spec, final Engine engine)
            throws Exception {
        Differential.assertSameOutputAs(spec.with(FaultyCode.EVENT, Event.NONE), spec, engine);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void endsAlike(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameEnd(spec, engine);
    }
}
