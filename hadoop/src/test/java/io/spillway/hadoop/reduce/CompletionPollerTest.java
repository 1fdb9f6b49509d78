// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.spi.EventNeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real pollers on a virtual clock, against an MRAppMaster that counts their calls. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CompletionPollerTest {
    private static final int MAPS = 400;
    private static final long MAPS_END_MILLIS = 60_000;
    private static final long MERGE_MILLIS = 120_000;

    @TempDir Path dir;

    /** What one reducer has seen. */
    private final class Reducer {
        private final CompletionPoller poller;
        private long dueMillis;
        private int seen;
        private long allSeenMillis = Long.MAX_VALUE;

        Reducer(final ReduceFixture job, final JobSettings settings, final long startMillis) {
            dueMillis = startMillis;
            poller =
                    new CompletionPoller(
                            settings,
                            new SystemThreads(),
                            job.umbilical.protocol(),
                            batch -> seen += batch.length,
                            this::need,
                            failure -> {
                                throw new AssertionError(failure);
                            });
        }

        private EventNeed need() {
            if (seen < MAPS) {
                return EventNeed.whileCopying(MAPS - seen, MAPS);
            }
            return nowMillis < allSeenMillis + MERGE_MILLIS ? EventNeed.STREAMS : EventNeed.NOTHING;
        }

        /** Gives false when it will never ask again. */
        boolean step() throws IOException {
            final long pause = poller.advance(nowMillis);
            if (seen == MAPS) {
                allSeenMillis = Math.min(allSeenMillis, nowMillis);
            }
            dueMillis = nowMillis + pause;
            return pause != CompletionPoller.NEVER;
        }
    }

    private long nowMillis;

    private ReduceFixture job(final int reducers) {
        final ReduceFixture job = new ReduceFixture(MAPS, dir);
        job.conf.setNumReduceTasks(reducers);
        job.set("spillway.shuffle.poll.interval.ms", "500");
        return job;
    }

    private JobSettings settings(final ReduceFixture job) throws IOException {
        return ShuffleChoice.of(job.context()).settings();
    }

    @ParameterizedTest
    @CsvSource({"20", "1000", "5000", "12000"})
    void allReducersTogetherKeepToTheLimit(final int count) throws IOException {
        final ReduceFixture job = job(count);
        final JobSettings settings = settings(job);
        final PriorityQueue<Reducer> reducers =
                new PriorityQueue<>(Comparator.comparingLong((Reducer r) -> r.dueMillis));
        final List<Reducer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final Reducer reducer = new Reducer(job, settings, 10_000L * i / count);
            reducers.add(reducer);
            all.add(reducer);
        }
        final List<Integer> callsInTenSeconds = new ArrayList<>();
        int ended = 0;
        int counted = 0;
        while (!reducers.isEmpty()) {
            final Reducer next = reducers.remove();
            nowMillis = next.dueMillis;
            while (ended < MAPS && nowMillis >= MAPS_END_MILLIS * (ended + 1) / MAPS) {
                job.succeeded(ReduceFixture.map(ended, 0), ReduceFixture.node(ended % 5));
                ended++;
            }
            while (nowMillis >= 10_000L * (callsInTenSeconds.size() + 1)) {
                callsInTenSeconds.add(job.umbilical.polls() - counted);
                counted = job.umbilical.polls();
            }
            if (next.step()) {
                reducers.add(next);
            }
        }

        final int limit = 10 * CompletionPoller.CALLS_PER_SECOND;
        // Beside the calls at an interval, each makes one at its start.
        assertThat(callsInTenSeconds.get(0)).isLessThanOrEqualTo(limit + limit / 20 + count);
        assertThat(callsInTenSeconds.subList(1, callsInTenSeconds.size()))
                .allMatch(calls -> calls <= limit + limit / 20);
        final long pause = Math.max(500, count * 1000L / CompletionPoller.CALLS_PER_SECOND);
        assertThat(all)
                .allMatch(reducer -> reducer.allSeenMillis < MAPS_END_MILLIS + 2 * pause + 250);
        final int whileMerging =
                callsInTenSeconds.subList(8, 17).stream().mapToInt(calls -> calls).sum();
        assertThat(whileMerging).isPositive().isLessThanOrEqualTo(9 * limit / 3);
        assertThat(whileMerging).isLessThanOrEqualTo(count * (90 / 5 + 1));
    }

    @Test
    void theLastMapsAreAskedForQuicklyByFewReducers() throws IOException {
        assertThat(callsInTenSeconds(job(20), EventNeed.LAST_MAPS)).isBetween(95, 102);
        assertThat(callsInTenSeconds(job(20), EventNeed.MAPS)).isBetween(19, 22);
        assertThat(callsInTenSeconds(job(20), EventNeed.LOST_STREAM)).isBetween(19, 22);
        assertThat(callsInTenSeconds(job(20), EventNeed.STREAMS)).isBetween(2, 4);
        assertThat(callsInTenSeconds(job(20), EventNeed.NOTHING)).isZero();
    }

    private int callsInTenSeconds(final ReduceFixture job, final EventNeed need)
            throws IOException {
        final CompletionPoller poller = poller(job, need);
        long now = 0;
        long pause = 0;
        while (now < 10_000 && pause != CompletionPoller.NEVER) {
            pause = poller.advance(now);
            now += pause;
        }
        return job.umbilical.polls();
    }

    private CompletionPoller poller(final ReduceFixture job, final EventNeed need)
            throws IOException {
        return new CompletionPoller(
                settings(job),
                new SystemThreads(),
                job.umbilical.protocol(),
                batch -> {},
                () -> need,
                failure -> {});
    }

    @Test
    void tenFailuresInARowAreTheEndAndNineAreNot() throws IOException {
        final ReduceFixture job = job(20);
        job.umbilical.failNextPolls(9);
        final CompletionPoller poller = poller(job, EventNeed.MAPS);
        final int calls = 12;
        for (int i = 0; i < calls; i++) {
            assertThat(poller.advance(5000L * i)).isPositive();
        }
        assertThat(job.umbilical.polls()).isEqualTo(calls);
        job.umbilical.failNextPolls(10);

        assertThatThrownBy(
                        () -> {
                            for (int i = calls; i < calls + 10; i++) {
                                poller.advance(5000L * i);
                            }
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too many failures");
    }

    /** The whole shuffle, by the clock: with all bytes here, no call is made any more. */
    @Test
    void aReducerThatHasAllItsBytesAsksNoMore() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, dir).minimalBuffer(1024);
        try (MemoryTransport transport = new MemoryTransport(3)) {
            final List<TestSegment> segments = new ArrayList<>();
            for (int map = 0; map < 2; map++) {
                segments.add(TestSegment.random(new Random(map), 200, 100, null));
                final String attempt = ReduceFixture.map(map, 0).toString();
                transport.put(ReduceFixture.node(0), attempt, segments.get(map));
                task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(0));
            }
            final ReduceShuffle shuffle = task.shuffle(transport);
            final var iterator = shuffle.run();
            final int beforeMerge = task.umbilical.polls();
            Thread.sleep(1000);
            // The interval is 50 ms. Streams are open, and their source answers.
            assertThat(task.umbilical.polls()).isLessThanOrEqualTo(beforeMerge + 1);
            task.event(ReduceFixture.map(0, 1), Status.FAILED);

            assertThat(IteratedRecords.readAll(iterator)).isEqualTo(TestSegment.merged(segments));
        }
    }
}
