// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.status.JobFill;
import io.spillway.transport.FetchException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * NodeManagers get jobs and drop them, their hosts' processes and the service are started again,
 * and reports come in any order: what is held of a job that a NodeManager has is never freed, and
 * what is held of one that none has is freed with the last report, or its node is told that nothing
 * is heard of it.
 */
class JobEndPropertyTest {
    private static final int HOSTS = 5;
    private static final int JOBS = 6;
    private static final String LAST = "job_last";
    private static final int PERIODS = 4;
    private static final int STEPS = 400;
    private static final int SECOND = 1_000;
    private static final int EXPIRY = 60 * SECOND;
    private static final BookSettings SETTINGS =
            new BookSettings(
                    10 * SECOND, EXPIRY, 30 * SECOND, SECOND, BookQuota.ALL, BookQuota.ALL, 1);

    /** A host: what its NodeManager has, and the node process that learns of it later. */
    private static final class Host {
        private TestNode process;
        private final Set<String> jobs = new HashSet<>();

        private Set<String> told = new HashSet<>();

        /** What it may have, as far as the book knows: it was silent, or was started again. */
        private final Set<String> unsure = new HashSet<>();

        /** Its handler has not come to the process, which therefore knows no job. */
        private long handlerComesNanos = Long.MIN_VALUE;

        private long reportedNanos;

        Host(final TestNode process) {
            this.process = process;
        }

        void begin(final String job) {
            if (jobs.add(job) && handlerComesNanos == Long.MIN_VALUE) {
                process.runs(job, userOf(job));
            }
        }

        void drop(final String job) {
            jobs.remove(job);
            process.endJob(job);
        }

        void restart(final long handlerComes) {
            unsure.addAll(told);
            process = process.restarted();
            jobs.forEach(process::endJob);
            handlerComesNanos = handlerComes;
        }

        void report(final PlacementBook book, final long now) throws FetchException {
            if (handlerComesNanos != Long.MIN_VALUE && now - handlerComesNanos >= 0) {
                handlerComesNanos = Long.MIN_VALUE;
                jobs.forEach(job -> process.runs(job, userOf(job)));
            }
            if (now - reportedNanos
                    >= TimeUnit.MILLISECONDS.toNanos(SETTINGS.nodeTimeoutMillis())) {
                unsure.addAll(told);
            }
            process.report(book);
            told = process.hostJobs();
            unsure.removeAll(told);
            reportedNanos = now;
        }
    }

    private final AtomicLong clock = new AtomicLong();
    private final List<Host> hosts = new ArrayList<>();
    private final Map<String, Integer> outputs = new HashMap<>();

    private TestNode memory = TestNode.memory("m", 1);
    private PlacementBook book = new PlacementBook(SETTINGS, clock::get, 1);
    private Random random = new Random();
    private final List<String> names = new ArrayList<>();
    private int begun;
    private long tries;

    private static String userOf(final String job) {
        return "user_" + job.charAt(job.length() - 1);
    }

    @Property(tries = 12)
    void whatLivesIsKeptAndWhatHasEndedIsFreed(@ForAll final long seed) throws FetchException {
        begin(seed);
        for (int period = 0; period < PERIODS; period++) {
            for (int step = 0; step < STEPS; step++) {
                step(10);
                checkLive();
            }
            passLong();
            for (int step = 0; step < STEPS; step++) {
                step(8);
                checkLive();
            }
        }
        checkEnds();
    }

    private void begin(final long seed) {
        random = new Random(seed);
        tries = seed;
        clock.set(random.nextLong());
        book = new PlacementBook(SETTINGS, clock::get, tries++);
        memory = TestNode.memory("m", Long.MAX_VALUE >> 20);
        hosts.clear();
        outputs.clear();
        names.clear();
        for (begun = 0; begun < JOBS; begun++) {
            names.add("job_" + begun);
        }
        for (int i = 0; i < HOSTS; i++) {
            hosts.add(new Host(TestNode.host("h" + i, 0)));
        }
    }

    /** One of so many kinds of events; the last two are starts. */
    private void step(final int kinds) throws FetchException {
        final Host host = hosts.get(random.nextInt(HOSTS));
        final int number = random.nextInt(JOBS);
        final String job = names.get(number);
        switch (random.nextInt(kinds)) {
            case 0 -> host.begin(job);
            case 1 -> drop(host, number);
            case 2 -> put(host);
            case 3 -> pass(random.nextInt(SECOND / 5));
            case 4 -> memory.report(book);
            case 8 -> rarely(8, () -> restart(host));
            case 9 -> rarely(40, this::restartBook);
            default -> host.report(book, clock.get());
        }
        for (final Host each : hosts) {
            if (clock.get() - each.reportedNanos > TimeUnit.SECONDS.toNanos(random.nextInt(14))) {
                each.report(book, clock.get());
            }
        }
    }

    /** A job that no NodeManager has any more does not come back. */
    private void drop(final Host host, final int number) {
        final boolean had = host.jobs.contains(names.get(number));
        host.drop(names.get(number));
        if (had && !live().contains(names.get(number))) {
            names.set(number, "job_" + begun++);
        }
    }

    private interface Event {
        void happens() throws FetchException;
    }

    private void rarely(final int times, final Event event) throws FetchException {
        if (random.nextInt(times) == 0) {
            event.happens();
        }
    }

    private void restart(final Host host) {
        host.restart(clock.get() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(5 * SECOND)));
    }

    private void restartBook() {
        book = new PlacementBook(SETTINGS, clock::get, tries++);
        hosts.forEach(host -> host.unsure.clear());
    }

    private void pass(final long millis) {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Time passes with all reporting: so long that jobs may end at once. */
    private void passLong() throws FetchException {
        for (int i = 0; i < 70; i++) {
            pass(SECOND);
            reportAll();
            checkLive();
        }
    }

    private void reportAll() throws FetchException {
        for (final Host host : hosts) {
            host.report(book, clock.get());
        }
        memory.report(book);
    }

    /** A map of a job that its host has, put where the book says. */
    private void put(final Host host) {
        final List<String> jobs = List.copyOf(host.jobs);
        if (jobs.isEmpty()) {
            return;
        }
        final String job = jobs.get(random.nextInt(jobs.size()));
        final String output = "o" + outputs.size();
        final LeaseRequest request =
                new LeaseRequest(output, 10, 1, LeasePolicy.DEDICATED, "h", List.of());
        if (!book.lease(job, request).isEmpty() && memory.runs.contains(job)) {
            memory.commit(job, output, 10);
            outputs.merge(job, 1, Integer::sum);
        }
    }

    private Set<String> live() {
        final Set<String> live = new HashSet<>();
        hosts.forEach(host -> live.addAll(host.jobs));
        return live;
    }

    /** The memory node has freed nothing of what a NodeManager has. */
    private void checkLive() {
        final Set<String> live = live();
        for (final String job : memory.ended) {
            assertThat(live).as("jobs that live, and one that was ended").doesNotContain(job);
            outputs.remove(job);
            hosts.forEach(host -> host.unsure.remove(job));
        }
        memory.ended.clear();
        outputs.forEach((job, count) -> assertThat(memory.held(job)).as(job).isEqualTo(count));
    }

    private void checkEnds() throws FetchException {
        hosts.get(1).begin(LAST);
        hosts.get(2).begin(LAST);
        passLong();
        put(hosts.get(2));
        memory.report(book);
        final Set<String> ending = live();
        assertThat(ending).contains(LAST);
        for (final String job : ending) {
            hosts.forEach(host -> host.drop(job));
        }
        reportAll();
        reportAll();
        reportAll();
        hosts.forEach(host -> ending.removeAll(host.unsure));
        assertThat(ending).contains(LAST);
        checkLive();
        assertThat(book.status().jobs())
                .extracting(JobFill::id)
                .doesNotContainAnyElementsOf(ending);
        ending.forEach(job -> assertThat(memory.held(job)).as(job).isZero());
        for (int i = 0; i <= EXPIRY / SECOND; i++) {
            pass(SECOND);
            reportAll();
        }
        checkLive();
        assertThat(book.status().jobs()).isEmpty();
        for (final String job : names) {
            assertThat(memory.held(job) == 0 || memory.silent.contains(job)).as(job).isTrue();
        }
    }
}
