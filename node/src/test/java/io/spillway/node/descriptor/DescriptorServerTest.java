// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.SpillFile;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that tasks get at a node's socket, and their end. */
class DescriptorServerTest {
    private static final int MIB = LendingNode.MIB;
    private static final String JOB = "job_1_1";
    private static final String ATTEMPT = "attempt_1_1_m_0_0";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private LendingNode node;

    @BeforeEach
    void start() throws IOException {
        node = new LendingNode();
        node.begin(JOB, "user", LendingNode.ownUid());
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(node.files().root())) {
            return all.filter(file -> file.toString().endsWith(".lent")).sorted().toList();
        }
    }

    private static byte[] random(final int length) {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void await(final BooleanSupplier condition) throws InterruptedException {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private boolean isEmpty() {
        try {
            return files().isEmpty();
        } catch (final IOException e) {
            return false;
        }
    }

    // ---- files ---------------------------------------------------------------------------------

    @Test
    void whatATaskWritesIsInTheFileThatTheNodeKeeps() throws IOException {
        final byte[] bytes = random(3 * MIB + 5);
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            final SpillFile spill = lease.open("spill0", 100);
            final SpillFile output = lease.open("file.out", MIB);
            output.reserve(bytes.length);
            output.data().write(bytes);
            output.complete(bytes.length);
            spill.close();
            lease.commit();

            assertThat(files()).containsExactly(output.path().orElseThrow());
        }
        final Path kept = files().get(0);
        assertThat(Files.readAllBytes(kept)).startsWith(bytes);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rw-------");
        assertThat(node.files().lentBytes("application_1_1")).isEqualTo(3 * MIB + 4096);

        node.end(JOB);
        assertThat(files()).isEmpty();
        assertThat(node.files().usedBytes()).isZero();
    }

    @Test
    void aTaskReadsItsFileAtAnyPosition() throws IOException {
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            final SpillFile file = lease.open("spill0", MIB);
            assertThat(file.data().length()).isZero();
            file.data().write(random(1000));
            file.complete(1000);
            file.data().seek(990);
            final byte[] last = new byte[10];
            file.data().readFully(last);
            assertThat(last).isEqualTo(Arrays.copyOfRange(random(1000), 990, 1000));
        }
    }

    @Test
    void noFileIsUsedAgain() throws IOException {
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            for (int i = 0; i < 8; i++) {
                final SpillFile file = lease.open("spill", MIB);
                assertThat(file.data().length()).isZero();
                file.data().write(random(MIB));
                assertThatThrownBy(() -> lease.open("spill", MIB))
                        .hasMessageContaining("expected a new name");
                file.close();
                assertThat(files()).isEmpty();
            }
        }
        assertThat(names(node.files().root().resolve("pool"))).isEmpty();
    }

    private static List<String> names(final Path of) throws IOException {
        try (Stream<Path> entries = Files.list(of)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void anAttemptMayComeAgainAtOnce() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
                lease.open("level0", 100);
            }
            assertThat(files()).isEmpty();
        }
    }

    // ---- room ----------------------------------------------------------------------------------

    @Test
    void aUserHasNoMoreThanTheQuota() throws IOException {
        node.begin("job_1_2", "user", LendingNode.ownUid());
        node.begin("job_1_3", "another", LendingNode.ownUid());
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT);
                DescriptorLease second = node.lease("job_1_2", "attempt_1_2_m_0_0");
                DescriptorLease others = node.lease("job_1_3", "attempt_1_3_m_0_0")) {
            final SpillFile most = lease.open("a", LendingNode.QUOTA - MIB);
            assertThatThrownBy(() -> second.open("b", 2L * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("user user, who has 15728640")
                    .hasMessageContaining("quota");
            assertThatThrownBy(() -> most.reserve(LendingNode.QUOTA + 1))
                    .isInstanceOf(StoreFullException.class);
            others.open("c", LendingNode.QUOTA);

            most.close();
            second.open("b", 2L * MIB);
        }
    }

    @Test
    void theQuotaCountsWhatWasCommittedAndEndsWithTheJob() throws IOException {
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            final SpillFile output = lease.open("file.out", LendingNode.QUOTA);
            output.data().setLength(LendingNode.QUOTA);
            output.complete(LendingNode.QUOTA);
            lease.commit();
        }
        node.begin("job_1_2", "user", LendingNode.ownUid());
        try (DescriptorLease lease = node.lease("job_1_2", "attempt_1_2_m_0_0")) {
            assertThatThrownBy(() -> lease.open("a", MIB)).isInstanceOf(StoreFullException.class);
            node.end(JOB);
            lease.open("a", MIB);
        }
    }

    @Test
    void aTierWithoutRoomSaysSo() throws IOException {
        for (int user = 2; user < 6; user++) {
            node.begin("job_1_" + user, "user" + user, LendingNode.ownUid());
            final DescriptorLease lease =
                    node.lease("job_1_" + user, "attempt_1_" + user + "_m_0_0");
            lease.open("a", LendingNode.QUOTA - MIB);
        }
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            assertThatThrownBy(() -> lease.open("a", 8L * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("limit=" + LendingNode.LIMIT);
        }
    }

    @Test
    void aFileThatIsMadeLongerThanItMayBeIsDeletedAndTakesNobodysRoom() throws IOException {
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            final SpillFile file = lease.open("spill0", MIB);
            final SpillFile sound = lease.open("spill1", MIB);
            file.data().setLength(LendingNode.LIMIT);
            assertThat(node.files().usedBytes()).isEqualTo(2 * MIB);

            node.files().reclaimDead();

            assertThat(files()).containsExactly(sound.path().orElseThrow());
            assertThatThrownBy(() -> file.complete(10)).isInstanceOf(IOException.class);
            sound.complete(0);
        }
    }

    // ---- the end -------------------------------------------------------------------------------

    @Test
    void aNodeThatStopsTakesBackWhatIsNotCommitted() throws Exception {
        final DescriptorLease lease = node.lease(JOB, ATTEMPT);
        final SpillFile file = lease.open("spill0", MIB);
        file.data().write(random(MIB));
        node.server().close();
        await(this::isEmpty);
        assertThatThrownBy(() -> file.complete(MIB)).hasMessageContaining("has ended");
        // The task moves them to its next tier.
        file.data().seek(0);
        final byte[] read = new byte[MIB];
        file.data().readFully(read);
        assertThat(read).isEqualTo(random(MIB));
        lease.close();
    }

    @Test
    void theEndOfTheJobEndsItsTasks() throws Exception {
        final DescriptorLease lease = node.lease(JOB, ATTEMPT);
        final SpillFile file = lease.open("spill0", MIB);
        node.end(JOB);
        await(this::isEmpty);
        await(() -> node.server().tasks() == 0);
        assertThatThrownBy(() -> file.reserve(4L * MIB)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> node.lease(JOB, ATTEMPT)).hasMessageContaining("not known here");
        lease.close();
    }

    /** Such as one whose node was started again while it ran: its tiers after this one have it. */
    @Test
    void aTaskWithNothingToKeepNeedsNoNodeToCommit() throws Exception {
        final DescriptorLease lease = node.lease(JOB, ATTEMPT);
        final SpillFile file = lease.open("spill0", MIB);
        node.server().close();
        await(this::isEmpty);
        assertThatThrownBy(lease::commit).hasMessageContaining("has ended");
        file.close();
        lease.commit();
        lease.close();
    }

    /** The job ends between the task's proof and its entry in the quota. */
    @Test
    void aJobThatEndsWhileATaskProvesItselfLeavesNothingInTheQuota() throws Exception {
        final String ending = "job_1_2";
        node.begin(ending, "user", LendingNode.ownUid());
        try (DescriptorLease lease = node.lease(ending, "attempt_1_2_m_0_0")) {
            lease.open("file.out", LendingNode.QUOTA);
            lease.commit();
        }
        node.endOnceProved(ending);
        assertThatThrownBy(() -> node.lease(ending, "attempt_1_2_m_1_0"))
                .isInstanceOf(IOException.class);
        await(() -> node.server().tasks() == 0);
        try (DescriptorLease lease = node.lease(JOB, ATTEMPT)) {
            lease.open("a", LendingNode.QUOTA);
        }
    }

    // ---- who asks ------------------------------------------------------------------------------

    @Test
    void aWrongSecretAnUnknownJobAndAnotherJobsAttemptAreRefusedAlike() throws IOException {
        final List<String> messages = new ArrayList<>();
        for (final String[] asked :
                new String[][] {
                    {JOB, ATTEMPT, "wrong"},
                    {"job_1_9", "attempt_1_9_m_0_0", "secret of job_1_9"},
                    {JOB, "attempt_1_2_m_0_0", "secret of " + JOB},
                    {JOB, "../attempt_1_1_m_0_0", "secret of " + JOB}
                }) {
            assertThatThrownBy(
                            () ->
                                    node.lease(
                                            asked[0],
                                            asked[1],
                                            asked[2].getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(IOException.class)
                    .satisfies(e -> messages.add(e.getMessage()));
        }
        assertThat(messages).hasSize(4).containsOnly(messages.get(0));
        assertThat(messages.get(0)).contains("not known here");
    }

    @Test
    void aTaskThatRunsAsAnotherUserThanTheJobIsRefused() {
        node.begin(JOB, "user", 4711);
        assertThatThrownBy(() -> node.lease(JOB, ATTEMPT)).hasMessageContaining("another user");
    }

    @Test
    void aNodeThatRunsAsAnotherUserIsNotAsked() {
        assertThatThrownBy(() -> DescriptorChannel.connect(node.server().socket(), 4711).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("expected user 4711");
    }

    @Test
    void theSocketIsTakenAwayWithTheNode() throws IOException {
        final Path socket = node.server().socket();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
                .isEqualTo("rwx--x--x");
        node.server().close();
        assertThat(socket).doesNotExist();
        assertThatThrownBy(() -> node.lease(JOB, ATTEMPT)).hasMessageContaining("cannot connect");
    }
}
