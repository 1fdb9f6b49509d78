// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.TableChanges;
import io.spillway.placement.message.TableVersion;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** However far behind a node is, and whatever it misses: in the end it knows the jobs there are. */
class JobTableTest {
    private static final int LIVE_JOBS = 300;

    private enum State {
        RUNS,
        KEPT,
        ENDED
    }

    /** What a node makes of the changes. */
    private static final class Follower {
        private final Set<String> known = new HashSet<>();
        private TableVersion applied = TableVersion.NONE;
        private Set<String> listed;

        /** Whether there is more to ask for. */
        boolean ask(final JobTable table) {
            final TableChanges changes = table.changesFor(applied);
            applied = changes.version();
            if (changes.reset()) {
                listed = new HashSet<>();
            }
            changes.ended().forEach(known::remove);
            changes.jobs().forEach(job -> known.add(job.id()));
            if (listed != null) {
                changes.jobs().forEach(job -> listed.add(job.id()));
                listed.addAll(changes.kept());
                if (!changes.more() && changes.complete()) {
                    known.retainAll(listed);
                }
                listed = changes.more() ? listed : null;
            }
            return changes.more();
        }
    }

    @Property(tries = 30)
    void followersKnowWhatThereIs(@ForAll final long seed) {
        final Random random = new Random(seed);
        final JobTable table = new JobTable(seed);
        final Map<String, State> jobs = new TreeMap<>();
        final Follower often = new Follower();
        final Follower seldom = new Follower();
        final int settledAt = random.nextInt(4000);
        for (int step = 0; step < 5000; step++) {
            change(table, jobs, "job_" + random.nextInt(3000), random.nextInt(5));
            if (step == settledAt) {
                table.settle();
            }
            if (random.nextInt(20) == 0) {
                often.ask(table);
            }
            if (random.nextInt(1500) == 0) {
                seldom.ask(table);
            }
        }
        check(table, jobs, often);
        check(table, jobs, seldom);
        check(table, jobs, new Follower());
    }

    private static void change(
            final JobTable table, final Map<String, State> jobs, final String job, final int what) {
        final State state = jobs.get(job);
        if (what < 3 && state != State.RUNS) {
            table.runs(TestNode.job(job, "alice"));
            jobs.put(job, State.RUNS);
        } else if (what == 3 && (state == null || state == State.ENDED)) {
            table.kept(job);
            jobs.put(job, State.KEPT);
        } else if (what == 4 && (state == State.RUNS || state == State.KEPT)) {
            table.ended(job);
            jobs.put(job, State.ENDED);
        }
    }

    private static void check(
            final JobTable table, final Map<String, State> jobs, final Follower follower) {
        int asked = 0;
        while (follower.ask(table)) {
            asked++;
            assertThat(asked).as("answers until all is told").isLessThan(200);
        }
        // Not contains() of the assertion, which looks at the jobs one by one.
        for (final var job : jobs.entrySet()) {
            if (job.getValue() != State.KEPT) {
                assertThat(follower.known.contains(job.getKey()))
                        .as("whether %s is known, whose state is %s", job.getKey(), job.getValue())
                        .isEqualTo(job.getValue() == State.RUNS);
            }
        }
    }

    @Example
    void anAnswerThatIsLostIsGivenAgain() {
        final JobTable table = new JobTable(5);
        table.settle();
        final Follower node = new Follower();
        table.runs(TestNode.job("old", "alice"));
        node.ask(table);
        for (int i = 0; i < LIVE_JOBS; i++) {
            table.runs(TestNode.job("live_" + i, "alice"));
        }
        for (int i = 0; i < 3 * JobTable.MAX_GONE; i++) {
            table.runs(TestNode.job("job_" + i, "alice"));
            table.ended(i == 5 ? "old" : "job_" + i);
        }
        // The list of all jobs begins, but the answer does not get there.
        assertThat(table.changesFor(node.applied).reset()).isTrue();
        assertThat(table.changesFor(node.applied).reset()).isTrue();
        final long begun = 1 + LIVE_JOBS + 6 * JobTable.MAX_GONE;
        int parts = 1;
        while (node.ask(table)) {
            assertThat(node.applied.base()).isEqualTo(begun);
            // Does not begin the list again.
            table.runs(TestNode.job("new_" + parts, "alice"));
            parts++;
            assertThat(parts).isLessThan(10);
        }
        assertThat(parts).isGreaterThan(2);
        assertThat(node.known).contains("job_5", "live_0", "live_299", "new_1");
        assertThat(node.known).hasSize(LIVE_JOBS + parts).doesNotContain("old");
    }

    @Example
    void anotherTablesVersionIsNone() {
        final JobTable table = new JobTable(5);
        table.runs(TestNode.job("a", "alice"));
        assertThat(table.appliedOf(new TableVersion(5, 1, 1))).isEqualTo(1);
        assertThat(table.appliedOf(new TableVersion(6, 1, 1))).as("after settling").isEqualTo(1);
        assertThat(table.appliedOf(new TableVersion(5, 2, 1))).as("of the future").isZero();
        assertThat(table.appliedOf(new TableVersion(9, 1, 1))).isZero();
        assertThat(table.changesFor(new TableVersion(5, 2, 1)).reset()).isTrue();
    }
}
