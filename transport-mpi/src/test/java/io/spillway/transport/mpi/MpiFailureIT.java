// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.mpi.MpiInstallation;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.mpi.library.MpiRun;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks, tasks and launchers that die, stand still or say nonsense in mid-transfer. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class MpiFailureIT {
    private static final SegmentId LARGE = new SegmentId(TestSegments.attempt(RankMain.MAP), 0);
    private static final SegmentId SMALL = new SegmentId(TestSegments.attempt(RankMain.MAP), 1);
    private static final int PIECE = 1 << 20;
    private static final int FETCHES = 200;
    private static final int TASKS = 5;
    private static final int COMING_AND_GOING = 1000;
    private static final int AT_A_TIME = 4;
    private static final Map<String, String> SOON =
            Map.of("spillway.shuffle.read.timeout.ms", "5000");
    private static final long PATIENCE_SECONDS = 60;

    @TempDir private Path folder;
    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private Ranks start(
            final MpiInstallation library, final int count, final Map<String, String> settings)
            throws Exception {
        return start(library, library.launch(count), count, settings);
    }

    private Ranks start(
            final MpiInstallation library,
            final List<String> launch,
            final int count,
            final Map<String, String> settings)
            throws Exception {
        library.require();
        final Ranks ranks = Ranks.start(library, launch, count, folder, settings);
        toClose.add(ranks);
        return ranks;
    }

    private MpiTransport transport(final Ranks ranks, final int rank) {
        final MpiTransport transport = ranks.transport(rank, SOON);
        toClose.add(transport);
        return transport;
    }

    private static FetchRecorder fetch(final Channel channel, final int index) {
        final int offset = index % (RankMain.LARGE / PIECE) * PIECE;
        final ByteBuffer target =
                index % 2 == 0 ? ByteBuffer.allocate(PIECE) : ByteBuffer.allocateDirect(PIECE);
        return FetchRecorder.fetch(channel, LARGE, offset, target);
    }

    /** Many fetches, of which the first have come. */
    private static List<FetchRecorder> inMidTransfer(final Channel channel) throws Exception {
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < FETCHES; i++) {
            fetches.add(fetch(channel, i));
        }
        assertThat(fetches.get(0).bytes()).hasSize(PIECE);
        return fetches;
    }

    private static void assertEachEndsOnceAndTheLastFails(final List<FetchRecorder> fetches)
            throws Exception {
        assertEachEndsOnce(fetches);
        assertThat(fetches.get(fetches.size() - 1).failure().reason())
                .isIn(Reason.DISCONNECTED, Reason.TIMED_OUT);
    }

    private static void assertEachEndsOnce(final List<FetchRecorder> fetches) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (final FetchRecorder fetch : fetches) {
            while (fetch.calls() == 0 && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(fetch.calls()).isOne();
        }
    }

    private void assertServes(final MpiTransport transport, final Ranks ranks, final int rank)
            throws Exception {
        try (Channel channel = transport.open(ranks.address(rank), Ranks.credentials())) {
            assertThat(FetchRecorder.fetch(channel, SMALL, 0, RankMain.SMALL).bytes())
                    .hasSize(RankMain.SMALL);
        }
    }

    // ---- ranks ---------------------------------------------------------------------------------

    /** Open MPI 4 ends the world then: that is the next test. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.SURVIVING)
    void aDeadRankFailsItsFetchesAndNoOthers(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, library.launchSurviving(3), 3, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        final Channel channel = transport.open(ranks.address(1), Ranks.credentials());
        final List<FetchRecorder> fetches = inMidTransfer(channel);
        ranks.process(1).destroyForcibly();
        assertEachEndsOnceAndTheLastFails(fetches);
        assertServes(transport, ranks, 2);
        assertServes(transport, ranks, 0);
        transport.close();
        // MPICH never ends what the dead rank was sending: its memory stays until the world ends.
        if (library.family() == MpiInstallation.Family.OPEN_MPI_WITH_ULFM) {
            awaitShared(ranks, 0);
        }
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void withTheRankOfItsHostATaskLosesAllChannelsAtOnce(final MpiInstallation library)
            throws Exception {
        final Ranks ranks = start(library, 3, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        final Channel channel = transport.open(ranks.address(1), Ranks.credentials());
        final Channel other = transport.open(ranks.address(2), Ranks.credentials());
        final List<FetchRecorder> fetches = inMidTransfer(channel);
        ranks.process(0).destroyForcibly();
        assertEachEndsOnceAndTheLastFails(fetches);
        assertThat(channel.isOpen()).isFalse();
        assertThat(other.isOpen()).isFalse();
        assertThatThrownBy(() -> transport.open(ranks.address(2), Ranks.credentials()))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("the rank of this host at");
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void withItsLauncherTheWorldEnds(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, 3, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        final Channel channel = transport.open(ranks.address(1), Ranks.credentials());
        final List<FetchRecorder> fetches = inMidTransfer(channel);
        ranks.launcher().destroyForcibly();
        for (int rank = 0; rank < 3; rank++) {
            ranks.process(rank).onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        assertEachEndsOnce(fetches);
        awaitEnd(channel);
    }

    private static void awaitEnd(final Channel channel) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (channel.isOpen() && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void aRankThatStandsStillTimesOutAndServesAgain(final MpiInstallation library)
            throws Exception {
        final Ranks ranks = start(library, 3, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        final Channel channel = transport.open(ranks.address(1), Ranks.credentials());
        final List<FetchRecorder> fetches = inMidTransfer(channel);
        Ranks.signal(ranks.process(1), "STOP");
        assertEachEndsOnceAndTheLastFails(fetches);
        assertThat(fetches.get(FETCHES - 1).failure().reason()).isEqualTo(Reason.TIMED_OUT);
        assertServes(transport, ranks, 2);
        Ranks.signal(ranks.process(1), "CONT");
        assertServes(transport, ranks, 1);
    }

    // ---- tasks ---------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void aTaskThatIsKilledLeavesNothing(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, 2, Map.of());
        assertServes(transport(ranks, 0), ranks, 1);
        final List<String> before = shared(ranks);
        for (int i = 0; i < 3; i++) {
            killATask(ranks);
        }
        awaitShared(ranks, before.size());
        assertServes(transport(ranks, 0), ranks, 1);
    }

    private void killATask(final Ranks ranks) throws Exception {
        final Path log = folder.resolve("task.log");
        final Process task =
                new MpiRun(folder)
                        .start(
                                MpiRun.java(
                                        List.of(),
                                        List.of("-Xmx200m"),
                                        TaskMain.class,
                                        List.of(
                                                ranks.socket(0).toString(),
                                                ranks.address(1).toString())),
                                log);
        try {
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!Files.readString(log).contains(TaskMain.FETCHING)) {
                assertThat(task.isAlive() && System.nanoTime() - deadline < 0).isTrue();
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } finally {
            task.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ONE)
    void aThousandTasksThatComeAndGoLeaveNothing(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, 2, Map.of());
        try (MpiTransport first = ranks.transport(0, SOON)) {
            assertServes(first, ranks, 1);
        }
        awaitShared(ranks, 0);
        final int before = ranks.openFiles(0).size();
        final ExecutorService tasks = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            final List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < COMING_AND_GOING; i++) {
                ends.add(tasks.submit(() -> comeAndGo(ranks)));
            }
            for (final Future<?> end : ends) {
                end.get();
            }
        } finally {
            tasks.shutdownNow();
        }
        awaitShared(ranks, 0);
        assertThat(ranks.openFiles(0)).hasSizeLessThan(before + 10);
        assertThat(ranks.openFiles(1)).filteredOn(file -> file.contains("memfd")).isEmpty();
    }

    private Void comeAndGo(final Ranks ranks) throws Exception {
        try (MpiTransport task = ranks.transport(0, SOON)) {
            assertServes(task, ranks, 1);
        }
        return null;
    }

    private static List<String> shared(final Ranks ranks) throws IOException {
        return ranks.openFiles(0).stream()
                .filter(file -> file.contains("spillway-mpi-task"))
                .toList();
    }

    private static void awaitShared(final Ranks ranks, final int expected) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (shared(ranks).size() > expected && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(shared(ranks)).hasSize(expected);
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ONE)
    void moreTasksThanARankServesLearnSo(final MpiInstallation library) throws Exception {
        final Ranks ranks =
                start(library, 2, Map.of("spillway.mpi.tasks", Integer.toString(TASKS)));
        final List<MpiTransport> tasks = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            tasks.add(transport(ranks, 0));
            assertServes(tasks.get(i), ranks, 1);
        }
        final MpiTransport late = transport(ranks, 0);
        assertThatThrownBy(() -> late.open(ranks.address(1), Ranks.credentials()))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("spillway.mpi.tasks");
        tasks.get(0).close();
        awaitShared(ranks, TASKS - 1);
        assertServes(late, ranks, 1);
    }

    // ---- nonsense ------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(MpiInstallation.ONE)
    void garbageOnTheSocketEndsThatLinkOnly(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, 2, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        final Channel channel = transport.open(ranks.address(1), Ranks.credentials());
        final List<FetchRecorder> fetches = inMidTransfer(channel);
        final Random random = new Random(17);
        for (int i = 0; i < 50; i++) {
            final byte[] garbage = new byte[1 + random.nextInt(5000)];
            random.nextBytes(garbage);
            assertThat(answerTo(ranks, garbage)).isEmpty();
        }
        for (final FetchRecorder fetch : fetches) {
            assertThat(fetch.bytes()).hasSize(PIECE);
        }
        assertServes(transport, ranks, 1);
        assertThat(ranks.log()).contains("Ending the link to a task: link frame: type=");
    }

    /** What comes back until the rank closes. */
    private static byte[] answerTo(final Ranks ranks, final byte[] bytes) throws IOException {
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.connect(UnixDomainSocketAddress.of(ranks.socket(0)));
            socket.write(ByteBuffer.wrap(bytes));
            socket.shutdownOutput();
            final ByteBuffer answer = ByteBuffer.allocate(1000);
            while (answer.hasRemaining() && socket.read(answer) >= 0) {
                assertThat(answer.position()).isLessThan(answer.capacity());
            }
            return Arrays.copyOf(answer.array(), answer.position());
        }
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ONE)
    void anotherSecretIsRefusedThroughTheProxy(final MpiInstallation library) throws Exception {
        final Ranks ranks = start(library, 2, Map.of());
        final MpiTransport transport = transport(ranks, 0);
        assertThatThrownBy(
                        () ->
                                transport.open(
                                        ranks.address(1),
                                        new JobCredentials(TestSegments.JOB, new byte[20])))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(Reason.UNKNOWN_JOB));
        assertServes(transport, ranks, 1);
    }
}
