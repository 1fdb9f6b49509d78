// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.StressJob.Cause;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** One reducer's shuffle, with threads, network and job as one seed draws them. */
final class StressRun {
    /** How a shuffle ended. */
    enum Ending {
        DONE,
        STOPPED,
        FAILED
    }

    private static final long MOST_STEPS = 100_000;
    private static final long MOST_MILLIS = 3_600_000;

    /** The failures that each cause explains. */
    private static final Map<Cause, Pattern> EXPLAINED = new EnumMap<>(Cause.class);

    static {
        final String copy = "failures downloading attempt|MAX_FAILED_UNIQUE_FETCHES";
        final String lost = "Lost map output|" + copy;
        EXPLAINED.put(Cause.UNREACHABLE, Pattern.compile(lost));
        EXPLAINED.put(Cause.REFUSAL, Pattern.compile(lost));
        EXPLAINED.put(Cause.SILENCE, Pattern.compile(lost));
        EXPLAINED.put(Cause.DAMAGE, Pattern.compile("Checksum error|amaged|" + copy));
        EXPLAINED.put(Cause.WRONG_LENGTH, Pattern.compile("Wrong length|" + copy));
        EXPLAINED.put(Cause.OTHER_OUTPUT, Pattern.compile("is not the same|Wrong length|" + copy));
        EXPLAINED.put(Cause.POLL_FAILURES, Pattern.compile("failures downloading events"));
    }

    private final long seed;
    private final SeededThreads threads;
    private final StressJob job;
    private final List<TestSegment.Entry> read = new ArrayList<>();
    private FetchCoordinator coordinator;
    private Ending ending;
    private Exception failure;
    private boolean isReading;
    private boolean settled;
    private int outAtClose = -1;

    StressRun(final long seed, final Path localDir) throws IOException {
        this.seed = seed;
        this.threads = new SeededThreads(seed);
        this.job = new StressJob(threads, localDir);
    }

    /**
     * Runs.
     *
     * @throws AssertionError with the state of everything, when something is not as it should be
     */
    Ending run() throws IOException {
        threads.beforeInterrupt(this::settleBeforeClose);
        threads.thread("reduce", this::reduce).start();
        job.start();
        final long end = threads.nowMillis() + MOST_MILLIS;
        try {
            threads.runWhile(() -> goesOn(end));
            require(ending != null, "the shuffle does not go on");
            job.end();
            threads.runWhile(() -> !threads.alive().isEmpty() && threads.nowMillis() < end);
            verifyEnd();
            return ending;
        } catch (final AssertionError | RuntimeException e) {
            throw new AssertionError(state(e.toString()), e);
        } finally {
            threads.abandon();
        }
    }

    private boolean goesOn(final long end) {
        if (coordinator != null && threads.steps() % 16 == 0) {
            coordinator.pool().verify();
        }
        return ending == null && threads.steps() < MOST_STEPS && threads.nowMillis() < end;
    }

    // ---- the task's thread ---------------------------------------------------------------------

    private void reduce() {
        try {
            ending = consume();
        } catch (final IOException | RuntimeException e) {
            failure = e;
            ending = Ending.FAILED;
        } catch (final InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private Ending consume() throws IOException, InterruptedException {
        final ReduceEngine shuffle = job.task.engine(job.nodes, threads);
        coordinator = shuffle.coordinator();
        try {
            return consume(shuffle.run(part -> {}));
        } finally {
            shuffle.close();
        }
    }

    private Ending consume(final MergedRecords records) throws IOException {
        isReading = true;
        while (records.next()) {
            read.add(TestSegment.entry(records.current()));
            if (read.size() == job.stopsAfter) {
                return Ending.STOPPED;
            }
            job.consumed(read.size());
            SeededThreads.yieldHere(6);
        }
        return Ending.DONE;
    }

    /**
     * A shuffle begins to close by interrupting what asks for completion events. In half of all
     * runs everything is let come to rest before, so that it shows whether memory is missing.
     */
    private void settleBeforeClose(final String interrupted) {
        if (isReading
                && !settled
                && interrupted.equals("spillway-events")
                && threads.random().nextBoolean()) {
            settled = true;
            threads.settle(() -> threads.loopIsIdle() && job.nodes.inFlight() == 0);
            outAtClose = coordinator.pool().chunksOut();
        }
    }

    // ---- what has to hold ----------------------------------------------------------------------

    private void verifyEnd() throws IOException {
        require(threads.alive().isEmpty(), "threads are left: " + threads.alive());
        require(job.nodes.isClosed(), "the transport is open");
        require(job.nodes.inFlight() == 0, "fetches are in flight");
        require(threads.isLoopShutdown(), "the loop is not shut down");
        coordinator.pool().verify();
        switch (ending) {
            case DONE -> verifyOutput();
            case FAILED -> verifyReason();
            case STOPPED -> verifyPrefix();
        }
    }

    private void verifyOutput() throws IOException {
        final Map<Integer, Map<String, List<String>>> byMap = StressRecords.byMap(read);
        for (int map = 0; map < job.maps(); map++) {
            require(
                    job.isOutputOf(map, byMap.getOrDefault(map, Map.of())),
                    "records of map " + map + " are missing, twice there or others");
        }
        require(outAtClose <= 0, outAtClose + " chunks never came back");
    }

    private void verifyPrefix() throws IOException {
        if (unverifiedBytesAreRead()) {
            // What is streamed is verified at its end, which it does not come to.
            return;
        }
        for (final TestSegment.Entry entry : read) {
            for (final String item : StressRecords.items(entry.value())) {
                require(job.isAnyonesItem(entry.key(), item), item + " is no map's");
            }
        }
    }

    private void verifyReason() {
        final Set<Cause> causes = job.causes();
        final String message = failure.toString();
        require(
                unverifiedBytesAreRead()
                        || causes.stream()
                                .anyMatch(cause -> EXPLAINED.get(cause).matcher(message).find()),
                "failed without a reason: " + message);
    }

    /** Damaged ones may get into decoder and user code, which fail as they like. */
    private boolean unverifiedBytesAreRead() {
        return job.causes().contains(Cause.DAMAGE) && !job.nodes.haveChecksums();
    }

    private void require(final boolean holds, final String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    // ---- description ---------------------------------------------------------------------------

    /** What tells runs apart. */
    String trace() {
        return ending
                + " "
                + threads.steps()
                + " "
                + threads.nowMillis()
                + " "
                + read.size()
                + " "
                + job.nodes.answered()
                + " "
                + failure;
    }

    /** The figures of its report that are above 0. */
    List<String> figures() {
        final List<String> names = new ArrayList<>();
        for (final ShuffleCounter figure : ShuffleCounter.values()) {
            if (job.task.figure(figure) > 0) {
                names.add(figure.name());
            }
        }
        return names;
    }

    StressJob job() {
        return job;
    }

    private String state(final String problem) {
        final StringBuilder text = new StringBuilder(problem);
        text.append("\nseed=").append(seed).append(" trouble=").append(job.trouble);
        text.append(" causes=").append(job.causes()).append(" maps=").append(job.maps());
        text.append(" steps=").append(threads.steps()).append(" ending=").append(ending);
        text.append(" read=").append(read.size()).append(" millis=").append(threads.nowMillis());
        text.append("\n").append(job);
        for (final Thread thread : threads.alive()) {
            text.append("\n").append(thread).append(" at");
            for (final StackTraceElement frame : thread.getStackTrace()) {
                text.append(' ').append(frame.getFileName()).append(':');
                text.append(frame.getLineNumber());
            }
        }
        text.append("\nin flight: ").append(job.nodes.inFlight());
        text.append(" wrong answers: ").append(job.nodes.injected());
        if (coordinator != null) {
            text.append("\npool: ").append(coordinator.pool());
            coordinator.maps().forEach(map -> append(text, map));
        }
        if (failure != null) {
            text.append("\nfailure: ").append(failure);
        }
        return text.toString();
    }

    private static void append(final StringBuilder text, final MapSlot map) {
        for (final SegmentFetch fetch : map.fetches()) {
            text.append("\n  ").append(fetch);
            text.append(" delivered=").append(fetch.delivered());
            text.append('/').append(fetch.partLength());
            text.append(fetch.queue.isEmpty() ? " nothing queued" : "");
            text.append(" held=").append(fetch.claim.held());
            text.append(" demand=").append(fetch.claim.demand());
            text.append(" state=").append(fetch.state());
            text.append(fetch.schedule.isQueued() ? " queued" : "");
            text.append(fetch.schedule.isStarved() ? " starved" : "");
            text.append(fetch.source.isResting() ? " resting" : "");
            text.append(fetch.source.isObsolete() ? " obsolete" : "");
            text.append(" wantsMore=").append(fetch.wantsMore());
            text.append(" node=").append(fetch.node().state());
            text.append(" inFlight=").append(fetch.node().inFlight());
        }
        if (map.fetches().isEmpty()) {
            text.append("\n  not begun, candidates=").append(map.candidates().size());
        }
    }
}
