// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.node.NodeKeys;
import io.spillway.placement.HostReport;
import io.spillway.placement.KnownJobs;
import io.spillway.placement.PlacementAgent;
import io.spillway.placement.PlacementService;
import io.spillway.placement.book.BookSettings;
import io.spillway.placement.book.PlacementBook;
import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.protocol.BlockingThreads;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.held.HeapAccount;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.held.OverflowStore;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServedJob;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node process is beside the server of its host's map outputs: memory for outputs of any
 * host, and the placement service, as its settings say. Without such settings it is alone, and
 * serves its host only. Thread-safe.
 */
public final class ClusterMember implements JobSecrets, HostReport, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

    private final JobSecrets secretsOfHost;
    private final Supplier<List<ServedJob>> jobsOfHost;
    private final MemberSettings settings;
    private final KnownJobs known;
    private final MemorySegments memory;
    private final CountedSink puts;
    private final OverflowStore overflow;
    private final PlacementBook book;
    private final PlacementService service;
    private final SegmentSource source;
    private final ExecutorService placement = BlockingThreads.newPool("spillway-placement", 1);
    private volatile Consumer<String> onJobGone = jobId -> {};
    private volatile Supplier<Set<String>> jobsInUse = Set::of;
    private volatile NodeAddress address;
    private volatile ServiceWay way;
    private volatile PlacementAgent agent;

    private ClusterMember(
            final MemberSettings settingsOrNull,
            final BookSettings bookSettings,
            final SegmentSource host,
            final JobSecrets secretsOfHost,
            final Supplier<List<ServedJob>> jobsOfHost)
            throws IOException {
        this.secretsOfHost = secretsOfHost;
        this.jobsOfHost = jobsOfHost;
        settings = settingsOrNull;
        if (settings == null) {
            known = null;
            memory = null;
            puts = null;
            overflow = null;
            book = null;
            service = null;
            source = host;
            return;
        }
        known =
                new KnownJobs(
                        settings.secret(),
                        () -> jobsInUse.get(),
                        TimeUnit.MILLISECONDS.toNanos(bookSettings.jobExpiryMillis()),
                        System::nanoTime,
                        this::jobGone);
        overflow = overflow(settings);
        memory =
                settings.capacity() == 0
                        ? null
                        : new MemorySegments(
                                settings.capacity(),
                                MemorySegments.CHUNK_BYTES,
                                this::keyOrSecretOf,
                                DirectMemory.SYSTEM,
                                HeapAccount.ofThisProcess(),
                                bookSettings.ofJob().limitAtNode(capacity()),
                                new Commits(),
                                overflow);
        puts = memory == null ? null : new CountedSink(memory);
        book = settings.serves() ? newBook(bookSettings) : null;
        service =
                book == null
                        ? null
                        : new PlacementService(
                                book, settings.secret(), settings.takesFormer(), placement);
        source =
                new MemberSegments(
                        host,
                        secretsOfHost,
                        memory,
                        puts,
                        service,
                        PutMemory.of(settings.putMemory()));
    }

    /** The most bytes of outputs, in memory and files. */
    private long capacity() {
        return settings.capacity() + (overflow == null ? 0 : overflow.capacity());
    }

    private static OverflowStore overflow(final MemberSettings settings) throws IOException {
        if (settings.overflow().isEmpty()) {
            return null;
        }
        final MemberSettings.Overflow files = settings.overflow().get();
        try {
            return OverflowStore.in(files.directory(), files.limit());
        } catch (final IOException e) {
            throw new IOException(NodeKeys.NODE_OVERFLOW_DIR + ": " + e.getMessage(), e);
        }
    }

    private static PlacementBook newBook(final BookSettings settings) {
        final long incarnation = new SecureRandom().nextLong();
        return new PlacementBook(settings, System::nanoTime, incarnation);
    }

    /**
     * Reads the settings; starts nothing yet.
     *
     * @param host the outputs of this host
     * @param secretsOfHost of the jobs of this host
     * @param jobsOfHost those jobs
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     * @throws IllegalArgumentException for settings that do not fit each other
     * @throws IOException where the file of the cluster's secret cannot be read, or the directory
     *     of the overflow cannot be written to
     */
    public static ClusterMember of(
            final Function<String, String> settings,
            final SegmentSource host,
            final JobSecrets secretsOfHost,
            final Supplier<List<ServedJob>> jobsOfHost)
            throws IOException {
        return new ClusterMember(
                MemberSettings.of(settings).orElse(null),
                BookSettings.from(settings),
                host,
                secretsOfHost,
                jobsOfHost);
    }

    /** What this process serves. */
    public SegmentSource source() {
        return source;
    }

    /** Sets the supplier of the jobs that have proved connections now; it does not block. */
    public void jobsInUse(final Supplier<Set<String>> jobs) {
        jobsInUse = jobs;
    }

    /** Sets the listener for jobs that neither this host nor the cluster has any more. */
    public void onJobGone(final Consumer<String> listener) {
        onJobGone = listener;
    }

    /**
     * Begins to report to the placement service, where there is one.
     *
     * @param providers of all transports
     * @param offers what this process serves
     * @param socket of this process: with its host it is a name that it keeps
     * @param epoch of this process
     * @throws IOException where it does not serve tcp, over which others find it
     */
    public void start(
            final List<TransportProvider> providers,
            final Function<String, String> lookup,
            final List<TransportOffer> offers,
            final String socket,
            final long epoch)
            throws IOException {
        if (settings == null) {
            return;
        }
        final TransportOffer tcp =
                offers.stream()
                        .filter(offer -> offer.transport().equals(TransportOffer.TCP))
                        .findFirst()
                        .orElseThrow(ServiceWay::withoutTcp);
        final NodeIdentity self =
                new NodeIdentity(tcp.address().host() + ":" + socket, tcp.address(), epoch);
        final ServiceWay found = ServiceWay.of(settings, service, tcp.address(), providers, lookup);
        address = tcp.address();
        way = found;
        agent = PlacementAgent.start(self, this, known, settings.secret(), found::ask);
        LOG.info(
                "Member {} of the cluster whose placement service is {}: gives {} bytes of memory"
                        + " and {} of files{}{}",
                self,
                settings.service(),
                settings.capacity(),
                overflow == null ? 0 : overflow.capacity(),
                settings.memoryOnly() ? ", runs no tasks" : "",
                found.isHere() ? ", is the placement service" : "");
    }

    // ---- jobs ----------------------------------------------------------------------------------

    /** Of jobs of this host, of those of the cluster, and of nodes where this is the service. */
    @Override
    public byte[] secretOf(final String jobId) {
        final byte[] ofHost = secretsOfHost.secretOf(jobId);
        if (ofHost != null || settings == null) {
            return ofHost;
        }
        if (jobId.equals(ClusterSecret.CALLER_ID)) {
            return settings.serves() ? settings.secret().credentials().secret() : null;
        }
        final byte[] ofTasks = service == null ? null : service.secretOf(jobId);
        return ofTasks == null ? known.secretOf(jobId) : ofTasks;
    }

    /** The same for those that only ask whether a job is known: each put does. Opens no seal. */
    private byte[] keyOrSecretOf(final String jobId) {
        final byte[] key = known.secretOf(jobId);
        return key == null ? secretOf(jobId) : key;
    }

    /**
     * Tasks prove themselves by a job's secret to the node of their host and to the placement
     * service, and by the key of this node where that is a memory node to them.
     */
    @Override
    public List<byte[]> keysOf(final String jobId) {
        final byte[] secret = secretOf(jobId);
        if (secret == null || secret.length == 0) {
            return List.of();
        }
        final NodeAddress self = address;
        final boolean isAll = settings == null || self == null || isOfNode(jobId);
        return isAll ? List.of(secret) : List.of(secret, JobCredentials.nodeKey(secret, self));
    }

    private boolean isOfNode(final String jobId) {
        return jobId.equals(ClusterSecret.CALLER_ID)
                || (secretsOfHost.secretOf(jobId) == null
                        && (service == null || service.secretOf(jobId) == null)
                        && known.isOfNode(jobId));
    }

    @Override
    public boolean isOfNodes(final String jobId) {
        return jobId.equals(ClusterSecret.CALLER_ID);
    }

    /** Forgets what maps that are gone have left. To be called from time to time. */
    public void dropIdle() {
        if (memory != null) {
            memory.dropIdle(System.nanoTime());
        }
    }

    /** A job has begun on this host: the cluster is to know it before its first map ends. */
    public void jobBegan() {
        final PlacementAgent started = agent;
        if (started != null) {
            started.wake();
        }
    }

    /** This host, or the cluster, does not have a job any more. */
    public void jobGone(final String jobId) {
        if (secretOf(jobId) != null) {
            return;
        }
        onJobGone.accept(jobId);
        if (memory != null) {
            memory.dropJob(jobId);
        }
    }

    /**
     * Starts the drain: refuses new outputs of other hosts and serves the outputs that it holds.
     * False ends the drain. The reported space informs the placement service.
     */
    public void drain(final boolean isDraining) {
        if (memory == null) {
            return;
        }
        memory.drain(isDraining);
        final PlacementAgent started = agent;
        if (started != null) {
            started.wake();
        }
    }

    // ---- reports -------------------------------------------------------------------------------

    /** Has what is visible here reported. */
    private final class Commits implements MemorySegments.Listener {
        @Override
        public void committed(final String jobId, final String output, final long bytes) {
            final PlacementAgent started = agent;
            if (started != null) {
                started.committed(jobId, output, bytes);
            }
        }

        @Override
        public void withdrawn() {
            final PlacementAgent started = agent;
            if (started != null) {
                started.withdrawn();
            }
        }
    }

    @Override
    public NodeSpace space() {
        return memory == null
                ? new NodeSpace(settings.memoryOnly(), 0, 0)
                : new NodeSpace(
                        settings.memoryOnly(),
                        memory.capacity(),
                        memory.used(),
                        memory.overflowCapacity(),
                        memory.overflowUsed());
    }

    @Override
    public List<ServedJob> jobs() {
        return jobsOfHost.get();
    }

    @Override
    public List<JobOutputs> outputs() {
        final List<JobOutputs> all = new ArrayList<>();
        if (memory != null) {
            memory.committed().forEach((jobId, held) -> all.add(outputs(jobId, held)));
        }
        return all;
    }

    private static JobOutputs outputs(final String jobId, final Map<String, Long> held) {
        return new JobOutputs(
                jobId,
                held.entrySet().stream()
                        .map(output -> new CommittedOutput(output.getKey(), output.getValue()))
                        .toList());
    }

    /** What it is and does now; nothing where it is alone. */
    public Optional<MemberStatus> status() {
        if (settings == null) {
            return Optional.empty();
        }
        final PlacementAgent started = agent;
        final ServiceWay found = way;
        return Optional.of(
                new MemberStatus(
                        settings.service(),
                        started != null && started.isAnswered(),
                        space(),
                        memory == null ? 0 : memory.outputs(),
                        puts == null ? PutStats.NONE : puts.stats(),
                        known.size(),
                        memory == null ? List.of() : memory.holdings(),
                        Optional.ofNullable(book)
                                .filter(kept -> found != null && found.isHere())
                                .map(PlacementBook::status)));
    }

    /** Gives the files back that it holds, after the last connection. Idempotent. */
    public void freeFiles() {
        if (overflow != null) {
            overflow.close();
        }
    }

    /** Stops reporting. What it holds in memory goes with the process. Idempotent. */
    @Override
    public void close() {
        if (agent != null) {
            agent.close();
        }
        if (way != null) {
            way.close();
        }
        placement.shutdown();
    }
}
