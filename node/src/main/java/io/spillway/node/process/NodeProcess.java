// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.MpiStart;
import io.spillway.conf.Settings;
import io.spillway.host.UserSocket;
import io.spillway.node.LocalSegmentSource;
import io.spillway.node.MapOutputLayout;
import io.spillway.node.MapOutputLayouts;
import io.spillway.node.NodeKeys;
import io.spillway.node.control.ControlSocket;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.control.NodeWelcome;
import io.spillway.node.control.StatusSource;
import io.spillway.node.member.ClusterMember;
import io.spillway.node.member.ClusterQuestion;
import io.spillway.node.member.MemberStatus;
import io.spillway.node.metrics.TierStatus;
import io.spillway.node.process.NodeStatus.ManagerStatus;
import io.spillway.node.process.NodeStatus.TransportStatus;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.ucx.worker.UcxKeys;
import io.spillway.version.Release;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that a node process is made of, put together and taken apart again. Thread-safe. */
public final class NodeProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeProcess.class);
    private static final long HOUSEKEEPING_MILLIS = 2_000;
    private static final long CLEANING_MILLIS = 60_000;

    /** What may fail without a word when the process ends. */
    private interface Part {
        void close() throws IOException;
    }

    private final Instant started = Instant.now();
    private final long epoch = started.toEpochMilli();
    private final Function<String, String> settings;
    private final boolean endsWhenAlone;
    private final long graceNanos;
    private final Path socket;
    private final NodeManagers managers;
    private final CountDownLatch end = new CountDownLatch(1);

    /** Closed in the opposite order. */
    private final Deque<Part> parts = new ArrayDeque<>();

    private ClusterMember member;
    private TransportServers transports;
    private Drain drain;
    private Optional<StatusPage> page = Optional.empty();

    private NodeProcess(
            final MapOutputLayout layout,
            final Function<String, String> settings,
            final boolean endsWhenAlone) {
        this.settings = settings;
        this.endsWhenAlone = endsWhenAlone;
        this.graceNanos = TimeUnit.MILLISECONDS.toNanos(NodeKeys.NODE_GRACE.get(settings));
        this.socket = ControlSocket.path(settings);
        this.managers = new NodeManagers(layout, settings, graceNanos, System::nanoTime);
    }

    /**
     * Starts a node process in this JVM.
     *
     * @param endsWhenAlone whether it ends when no NodeManager has come for the grace time
     * @throws AlreadyRunningException when there is one at this socket
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     * @throws IOException that says what cannot be had and what to change
     */
    public static NodeProcess start(
            final List<TransportProvider> providers,
            final Function<String, String> settings,
            final boolean endsWhenAlone)
            throws IOException {
        Settings.validate(settings);
        requireMemory(settings);
        final NodeProcess node = new NodeProcess(MapOutputLayouts.only(), settings, endsWhenAlone);
        try {
            node.open(providers);
            return node;
        } catch (final IOException | RuntimeException | LinkageError e) {
            node.close();
            throw e;
        }
    }

    /** What the process takes only once a NodeManager or a client has come is refused now. */
    private static void requireMemory(final Function<String, String> settings) {
        LocalSegmentSource.requireMemory(settings);
        final long unused =
                MemoryBounds.requireInHost(
                        UcxKeys.UCX_BUFFER_BYTES, UcxKeys.UCX_BUFFER_BYTES.get(settings));
    }

    private void open(final List<TransportProvider> providers) throws IOException {
        UserSocket.preparePrivateFolder(socket.toAbsolutePath().getParent());
        final NodeLock lock = takeLock();
        parts.push(lock::close);
        parts.push(managers::close);
        member = ClusterMember.of(settings, managers, managers, managers::jobs);
        parts.push(member::freeFiles);
        drain = Drain.resume(socket, member);
        transports = TransportServers.start(providers, member.source(), member, settings, epoch);
        parts.push(transports::close);
        member.onJobGone(transports::dropJob);
        member.jobsInUse(transports::jobsInUse);
        managers.onJobBegun(member::jobBegan);
        managers.onJobGone(member::jobGone);
        parts.push(member::close);
        member.start(providers, settings, transports.offers(), socket.toString(), epoch);
        openPage();
        final long pid = ProcessHandle.current().pid();
        final ControlServer control =
                ControlServer.start(
                        socket,
                        managers,
                        new NodeWelcome(epoch, pid, transports.offers()),
                        statusSource(providers),
                        drain);
        parts.push(control::close);
        parts.push(drain::close);
        startHousekeeping();
        LOG.info(
                "Spillway {}: node process {} serves handlers at {}, epoch {}",
                Release.VERSION,
                pid,
                socket,
                epoch);
    }

    /** Before anything of MPI: who has no lock ends, and its launcher sees that. */
    private NodeLock takeLock() throws IOException {
        try {
            return NodeLock.take(socket);
        } catch (final AlreadyRunningException e) {
            throw MpiKeys.MPI_WORLD.get(settings) == MpiStart.LAUNCHED ? e.asRank() : e;
        }
    }

    /** Figures are worth a line in the log when they cannot be shown, and no more. */
    private void openPage() {
        NodeKeys.NODE_HTTP_PORT.get(settings).ifPresent(this::openPage);
    }

    private void openPage(final int port) {
        try {
            final StatusPage opened = StatusPage.start(port, this::status);
            parts.push(opened::close);
            page = Optional.of(opened);
            LOG.info("Status and metrics at {}", opened.address());
        } catch (final IOException e) {
            LOG.warn(
                    "No status page: cannot listen at loopback port {} ({}); change {}",
                    port,
                    e.getMessage(),
                    NodeKeys.NODE_HTTP_PORT);
        }
    }

    private void startHousekeeping() {
        final ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(
                        task -> DaemonThreads.of("spillway-housekeeping", task));
        final ScheduledFuture<?> unused =
                timer.scheduleWithFixedDelay(
                        this::keepHouse,
                        HOUSEKEEPING_MILLIS,
                        HOUSEKEEPING_MILLIS,
                        TimeUnit.MILLISECONDS);
        final StoreCleaner cleaner = new StoreCleaner(settings);
        final ScheduledFuture<?> unusedToo =
                timer.scheduleWithFixedDelay(
                        () -> clean(cleaner, member), 0, CLEANING_MILLIS, TimeUnit.MILLISECONDS);
        parts.push(timer::shutdownNow);
    }

    private static void clean(final StoreCleaner cleaner, final ClusterMember member) {
        try {
            cleaner.reclaim();
            member.dropIdle();
        } catch (final RuntimeException e) {
            LOG.warn("Cannot reclaim what nodes have left", e);
        }
    }

    private void keepHouse() {
        try {
            managers.forgetLost();
            if (endsWhenAlone && managers.aloneNanos() > graceNanos) {
                LOG.info("No NodeManager has come back: the node process ends");
                end.countDown();
            }
        } catch (final RuntimeException e) {
            LOG.warn("Housekeeping failed", e);
        }
    }

    /** Waits until it wants to end by itself, or {@link #close} is called. */
    public void awaitEnd() throws InterruptedException {
        end.await();
    }

    private StatusSource statusSource(final List<TransportProvider> providers) {
        return new StatusSource() {
            @Override
            public String ofNode() {
                return status().toJson();
            }

            @Override
            public String ofCluster() throws IOException {
                final Optional<MemberStatus> self = member.status();
                final Optional<PlacementStatus> own = self.flatMap(MemberStatus::cluster);
                return own.isPresent()
                        ? ClusterQuestion.json(self.get().service(), own.get())
                        : ClusterQuestion.of(providers, settings).ask();
            }
        };
    }

    /** What it is and does now; looks at the stores' folders. */
    private NodeStatus status() {
        return new NodeStatus(
                ProcessHandle.current().pid(),
                epoch,
                started,
                socket.toString(),
                drain.isOn(),
                page.map(StatusPage::address).orElse(""),
                transports.servers().stream()
                        .map(
                                server ->
                                        new TransportStatus(
                                                server.transport(),
                                                server.address().toString(),
                                                server.stats()))
                        .toList(),
                transports.obstacles(),
                managers.views().stream().map(NodeProcess::statusOf).toList(),
                member.status());
    }

    private static ManagerStatus statusOf(final NodeManagers.View view) {
        final ManagerHello hello = view.manager().hello();
        return new ManagerStatus(
                hello.manager(),
                hello.shuffle().toString(),
                view.connected(),
                view.manager().jobIds(),
                hello.stores().stream().map(TierStatus::look).toList(),
                view.manager().prefetchStats());
    }

    /** Stops serving, and takes the socket away. Idempotent. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (final IOException | RuntimeException e) {
                LOG.warn("Something of the node process does not end well", e);
            }
        }
        end.countDown();
    }
}
