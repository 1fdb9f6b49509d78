// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.NoFallback;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.CopyProgress;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.FailureReports;
import io.spillway.engine.spi.FailureRules;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.engine.spi.RunStores;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.engine.spi.TaskCounters;
import io.spillway.engine.spi.TaskSettings;
import io.spillway.ifile.SegmentCipher;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillStore;
import io.spillway.store.UnnamedFiles;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * One reduce task of a framework that is this class: its settings are a map, the ends of its maps a
 * list. Keys are Texts.
 */
public final class TaskFixture {
    public static final int PARTITION = 3;

    private static final String JOB = "1700000000000_0001";
    private static final String DISK = "disk";

    public final FixtureCounters counters = new FixtureCounters();
    final FixtureFeed feed = new FixtureFeed(this::pollMillis);
    final Map<String, String> properties = new TreeMap<>();
    int runsPerMap = 1;
    public long maxPenaltyMillis = 100;
    boolean reportsReadErrors = true;
    public boolean fetchRetry;
    public long fetchRetryMillis = 180_000;
    public CompressionCodec codec;
    public SegmentCipher cipher = SegmentCipher.NONE;
    OutputPlaces places = OutputPlaces.NONE;
    Supplier<RawComparator<?>> comparators = Text.Comparator::new;

    /** Null for none. */
    RunCombiner combiner;

    private final int maps;
    private final Path localDir;
    private final List<OutputId> reported = new ArrayList<>();
    private TaskReport report = new TaskReport();

    public TaskFixture(final int maps, final Path localDir) {
        this.maps = maps;
        this.localDir = localDir;
        set(EngineKeys.SHUFFLE_POLL_INTERVAL.name(), "50");
        set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "4m");
    }

    public TaskFixture set(final String name, final String value) {
        properties.put(name, value);
        return this;
    }

    /** A budget of exactly two windows of {@code window} bytes a map. */
    TaskFixture minimalBuffer(final int window) {
        set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), Integer.toString(window));
        set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), Integer.toString(Math.max(4096, window)));
        return set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), Long.toString(2L * window * maps));
    }

    public static OutputId map(final int index, final int attempt) {
        return new OutputId(index, String.format("attempt_%s_m_%06d_%d", JOB, index, attempt));
    }

    public static NodeAddress node(final int number) {
        return new NodeAddress("node" + number, 13562);
    }

    void succeeded(final OutputId output, final NodeAddress node) {
        feed.add(new OutputEvent.Ready(output, node, "http://" + node, 0));
    }

    // ---- what the engine is given --------------------------------------------------------------

    private long pollMillis() {
        return EngineKeys.SHUFFLE_POLL_INTERVAL.get(properties::get);
    }

    public ShuffleSettings settings() {
        final TaskSettings task =
                new TaskSettings(
                        "attempt_" + JOB + "_r_000003_0",
                        PARTITION,
                        new TaskSettings.Maps(
                                maps, runsPerMap, new SegmentForm(codec != null, cipher)),
                        5,
                        300_000,
                        new FailureRules(
                                maxPenaltyMillis,
                                5,
                                10,
                                reportsReadErrors,
                                3,
                                new FailureRules.Restart(fetchRetry, fetchRetryMillis, 1000)));
        return new ShuffleSettings(
                task, properties::get, this::order, Runtime.getRuntime().maxMemory());
    }

    private KeyOrder order() {
        return EngineKeys.SORT_PREFIX.get(properties::get)
                ? KeyOrders.of(comparators.get())
                : KeyOrders.comparing(comparators.get());
    }

    ReduceEngine engine(final Transport transport, final ShuffleThreads threads) {
        return new ReduceEngine(settings(), host(threads), NoFallback::new, transport, threads);
    }

    public ShuffleHost host(final ShuffleThreads threads) {
        return new ShuffleHost(
                new ShuffleHost.MapOutputs(
                        (events, need, onFailure) -> feed.body(threads, events, need, onFailure),
                        places,
                        new Reports(),
                        new JobCredentials(
                                "job_" + JOB, "the job's secret".getBytes(StandardCharsets.UTF_8))),
                new ShuffleHost.JobRecords(this::order, new Combining(), codec),
                new ShuffleHost.TaskView(new Copying(), counters, () -> {}, this::publish),
                new Stores());
    }

    private synchronized void publish(final TaskReport published) {
        report = published;
    }

    private static final class Copying implements CopyProgress {
        @Override
        public void began(final long nowNanos) {}

        @Override
        public void ended(final long bytes, final long nowNanos) {}

        @Override
        public void copied(final int done, final long nowNanos) {}

        @Override
        public void end() {}
    }

    private final class Reports implements FailureReports {
        @Override
        public void outputFailed(final OutputId output) {
            synchronized (reported) {
                reported.add(output);
            }
        }

        @Override
        public void send() {}
    }

    private final class Combining implements RunCombiner.Source {
        @Override
        public boolean exists() {
            return combiner != null;
        }

        @Override
        public RunCombiner get() {
            return combiner;
        }
    }

    private final class Stores implements RunStores {
        @Override
        public SpillStore open() {
            return FileSpillStore.ofFiles(
                    DISK, new UnnamedFiles(localDir, new FreeSpace(localDir, 0)));
        }

        @Override
        public boolean isDisk(final String tier) {
            return DISK.equals(tier);
        }
    }

    // ---- what has come of it -------------------------------------------------------------------

    /** A figure of the report that was published last. */
    synchronized long figure(final ShuffleCounter figure) {
        return report.get(figure);
    }

    public List<OutputId> reported() {
        synchronized (reported) {
            return List.copyOf(reported);
        }
    }

    /** Counts shuffled maps and failed fetches. */
    public static final class FixtureCounters implements TaskCounters {
        private final AtomicLong shuffled = new AtomicLong();
        private final AtomicLong failed = new AtomicLong();
        private final Map<ShuffleError, Long> errors = new ConcurrentHashMap<>();

        @Override
        public void mapShuffled() {
            shuffled.incrementAndGet();
        }

        @Override
        public void bytesShuffled(final long bytes) {}

        @Override
        public void outputsMerged(final long count) {}

        @Override
        public void fetchFailed() {
            failed.incrementAndGet();
        }

        @Override
        public long failedFetches() {
            return failed.get();
        }

        @Override
        public void failed(final ShuffleError error) {
            errors.merge(error, 1L, Long::sum);
        }

        public long shuffledMaps() {
            return shuffled.get();
        }

        public long failures(final ShuffleError error) {
            return errors.getOrDefault(error, 0L);
        }
    }

    /** Events that a test scripts, asked for as a framework's are. */
    static final class FixtureFeed {
        private static final int MOST_FAILURES = 10;
        private static final long FAILURE_PAUSE_MILLIS = 5000;
        private static final long QUICK_MILLIS = 100;
        private static final long SELDOM_MILLIS = 5000;

        private final Supplier<Long> pollMillis;
        private final List<OutputEvent> events = new ArrayList<>();
        private int failuresToCome;

        FixtureFeed(final Supplier<Long> pollMillis) {
            this.pollMillis = pollMillis;
        }

        synchronized void add(final OutputEvent event) {
            events.add(event);
        }

        synchronized void failNextPolls(final int count) {
            failuresToCome = count;
        }

        private synchronized List<OutputEvent> from(final int first) throws IOException {
            if (failuresToCome > 0) {
                failuresToCome--;
                throw new IOException("scripted");
            }
            return List.copyOf(events.subList(first, events.size()));
        }

        Runnable body(
                final ShuffleThreads threads,
                final Consumer<List<OutputEvent>> sink,
                final Supplier<EventNeed> need,
                final Consumer<Throwable> onFailure) {
            return () -> {
                try {
                    poll(threads, sink, need);
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (final IOException | RuntimeException | Error e) {
                    onFailure.accept(e);
                }
            };
        }

        private void poll(
                final ShuffleThreads threads,
                final Consumer<List<OutputEvent>> sink,
                final Supplier<EventNeed> need)
                throws IOException, InterruptedException {
            int seen = 0;
            int failures = 0;
            EventNeed now = need.get();
            while (now != EventNeed.NOTHING) {
                try {
                    final List<OutputEvent> batch = from(seen);
                    seen += batch.size();
                    failures = 0;
                    if (!batch.isEmpty()) {
                        sink.accept(batch);
                    }
                } catch (final IOException e) {
                    if (++failures >= MOST_FAILURES) {
                        throw new IOException("too many failures downloading events", e);
                    }
                }
                now = pause(threads, need, failures);
            }
        }

        /** Looks at the need meanwhile: it changes. */
        private EventNeed pause(
                final ShuffleThreads threads, final Supplier<EventNeed> need, final int failures)
                throws InterruptedException {
            final long since = threads.nowMillis();
            EventNeed now = need.get();
            long left = 1;
            while (now != EventNeed.NOTHING && left > 0) {
                threads.sleep(Math.min(left, QUICK_MILLIS));
                now = need.get();
                final long pause = failures > 0 ? FAILURE_PAUSE_MILLIS : pauseMillis(now);
                left = since + pause - threads.nowMillis();
            }
            return now;
        }

        private long pauseMillis(final EventNeed need) {
            return switch (need) {
                case LAST_MAPS -> Math.min(pollMillis.get(), QUICK_MILLIS);
                case STREAMS -> SELDOM_MILLIS;
                default -> pollMillis.get();
            };
        }
    }
}
