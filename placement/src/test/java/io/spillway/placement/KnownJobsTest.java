// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class KnownJobsTest {
    private static final ClusterSecret CLUSTER = clusterOf("a secret of the cluster");

    private final List<String> ended = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final Set<String> used = new HashSet<>();
    private final KnownJobs jobs = known(ended::add);

    private KnownJobs known(final Consumer<String> onEnded) {
        return new KnownJobs(
                CLUSTER, () -> used, TimeUnit.MINUTES.toNanos(15), clock::get, onEnded);
    }

    /** Time passes, and the agent looks every ten seconds. */
    private void pass(final long minutes) {
        for (int look = 0; look < minutes * 6; look++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
            jobs.expire();
        }
    }

    private static ClusterSecret clusterOf(final String secret) {
        return new ClusterSecret(secret.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] secretOf(final String job) {
        return ("secret of " + job).getBytes(StandardCharsets.US_ASCII);
    }

    private static List<SealedJob> sealed(final ClusterSecret cluster, final String... ids) {
        final SecureRandom random = new SecureRandom();
        return List.of(ids).stream()
                .map(
                        id ->
                                new SealedJob(
                                        id,
                                        "alice",
                                        SealedSecret.seal(
                                                cluster, id, "alice", secretOf(id), random)))
                .toList();
    }

    private static TableVersion version(final long table, final long number) {
        return new TableVersion(table, number, 1);
    }

    /** Changes since the version before. */
    private void change(final long version, final List<SealedJob> begun, final String... gone) {
        jobs.apply(
                new TableChanges(
                        version(1, version), false, false, false, begun, List.of(), List.of(gone)));
    }

    private void list(
            final long table,
            final boolean first,
            final boolean complete,
            final boolean more,
            final List<String> kept,
            final String... ids) {
        jobs.apply(
                new TableChanges(
                        version(table, ids.length),
                        first,
                        complete,
                        more,
                        sealed(CLUSTER, ids),
                        kept,
                        List.of()));
    }

    @Test
    void knowsUsersAndSecrets() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        assertThat(jobs.secretOf("job_1")).isEqualTo(secretOf("job_1"));
        assertThat(jobs.secretOf("job_2")).isEqualTo(secretOf("job_2"));
        assertThat(jobs.userOf("job_1")).isEqualTo("alice");
        assertThat(jobs.secretOf("job_3")).isNull();
        assertThat(jobs.userOf("job_3")).isNull();
        assertThat(jobs.isAnnounced("job_1")).isTrue();
        assertThat(jobs.isAnnounced("job_3")).isFalse();
        assertThat(jobs.size()).isEqualTo(2);
        assertThat(jobs.version()).isEqualTo(version(1, 1));
    }

    @Test
    void tellsOnceThatAJobHasEnded() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        change(2, List.of(), "job_1", "job_9");
        change(3, List.of(), "job_1");
        assertThat(ended).containsExactly("job_1");
        assertThat(jobs.secretOf("job_1")).isNull();
    }

    @Test
    void aJobIsNotKnownAnyMoreWhenItsEndIsTold() {
        final List<Object> seen = new ArrayList<>();
        final KnownJobs[] own = new KnownJobs[1];
        own[0] = known(jobId -> seen.add(own[0].secretOf(jobId) == null));
        own[0].apply(
                new TableChanges(
                        version(1, 1),
                        false,
                        false,
                        false,
                        sealed(CLUSTER, "job_1"),
                        List.of(),
                        List.of()));
        own[0].apply(
                new TableChanges(
                        version(1, 2),
                        false,
                        false,
                        false,
                        List.of(),
                        List.of(),
                        List.of("job_1")));
        assertThat(seen).containsExactly(true);
    }

    @Test
    void whatACompleteListDoesNotHaveEndsAfterTheKeepTime() {
        change(1, sealed(CLUSTER, "job_1", "job_2", "job_3", "job_4"));
        list(2, true, true, true, List.of("job_4"), "job_1");
        pass(60);
        assertThat(ended).as("the list goes on").containsExactly("job_4");
        list(2, false, true, false, List.of(), "job_3");
        pass(14);
        assertThat(ended).containsExactly("job_4");
        assertThat(jobs.secretOf("job_2")).isEqualTo(secretOf("job_2"));
        pass(1);
        assertThat(ended).containsExactly("job_4", "job_2");
        assertThat(jobs.isAnnounced("job_1")).isTrue();
        assertThat(jobs.isAnnounced("job_3")).isTrue();
    }

    /** As after ten minutes without a network between the job's hosts and the service. */
    @Test
    void aJobThatIsGivenUpStaysWhileItHasUsersAndForTheKeepTime() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        silent(2, "job_1");
        silent(3, "job_2");
        used.add("job_1");
        pass(14);
        assertThat(jobs.isAnnounced("job_1")).as("hosts are to announce it again").isFalse();
        assertThat(jobs.secretOf("job_2")).isEqualTo(secretOf("job_2"));
        pass(24 * 60);
        assertThat(ended).containsExactly("job_2");
        used.clear();
        pass(14);
        assertThat(jobs.secretOf("job_1")).isEqualTo(secretOf("job_1"));
        pass(1);
        assertThat(ended).containsExactly("job_2", "job_1");
    }

    @Test
    void aJobThatComesBackIsListedAnew() {
        change(1, sealed(CLUSTER, "job_1"));
        assertThat(jobs.hasReturned()).isFalse();
        silent(2, "job_1");
        pass(14);
        change(3, sealed(CLUSTER, "job_1"));
        assertThat(jobs.isAnnounced("job_1")).isTrue();
        assertThat(jobs.hasReturned()).isTrue();
        assertThat(jobs.hasReturned()).as("once").isFalse();
        pass(60);
        assertThat(ended).isEmpty();
    }

    @Test
    void theEndOfAJobIsItsEndWhateverItsUsers() {
        change(1, sealed(CLUSTER, "job_1"));
        used.add("job_1");
        change(2, List.of(), "job_1");
        assertThat(ended).containsExactly("job_1");
    }

    private void silent(final long version, final String jobId) {
        jobs.apply(
                new TableChanges(
                        version(1, version),
                        false,
                        false,
                        false,
                        List.of(),
                        List.of(jobId),
                        List.of()));
    }

    @Test
    void aServiceThatHasJustStartedEndsNothing() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        list(2, true, false, false, List.of(), "job_1");
        assertThat(ended).isEmpty();
        assertThat(jobs.isAnnounced("job_1")).isTrue();
        assertThat(jobs.isAnnounced("job_2")).isFalse();
        assertThat(jobs.secretOf("job_2")).isEqualTo(secretOf("job_2"));
        list(3, true, true, false, List.of(), "job_1");
        pass(15);
        assertThat(ended).containsExactly("job_2");
    }

    @Test
    void aListThatBeginsAnewForgetsTheOneBefore() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        list(2, true, true, true, List.of(), "job_1");
        list(3, true, true, false, List.of(), "job_2");
        pass(15);
        assertThat(ended).containsExactly("job_1");
    }

    @Test
    void aListIsNotOverWhileTheServiceAsksForOutputs() {
        change(1, sealed(CLUSTER, "job_1", "job_2"));
        list(2, true, true, true, List.of(), "job_1");
        jobs.apply(TableChanges.later(jobs.version()));
        list(2, false, true, false, List.of());
        pass(15);
        assertThat(ended).containsExactly("job_2");
    }

    @Test
    void aSecretOfAnotherClusterIsNotTaken() {
        change(1, sealed(clusterOf("the secret of another"), "job_1"));
        assertThat(jobs.secretOf("job_1")).isNull();
        assertThat(jobs.isAnnounced("job_1")).isFalse();
        assertThat(jobs.version()).isEqualTo(version(1, 1));
    }

    @Test
    void aListenerThatFailsKeepsNoOtherJobAlive() {
        final List<String> told = new ArrayList<>();
        final KnownJobs own =
                known(
                        jobId -> {
                            told.add(jobId);
                            throw new IllegalStateException("of the test");
                        });
        own.apply(
                new TableChanges(
                        version(1, 1),
                        false,
                        false,
                        false,
                        sealed(CLUSTER, "job_1", "job_2"),
                        List.of(),
                        List.of()));
        own.apply(
                new TableChanges(
                        version(1, 2),
                        false,
                        false,
                        false,
                        List.of(),
                        List.of(),
                        List.of("job_1", "job_2")));
        assertThat(told).containsExactly("job_1", "job_2");
        assertThat(own.size()).isZero();
    }
}
