// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.MapOutputLayout;
import io.spillway.node.control.ManagerHello;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NodeManagers of this host and their jobs, and so what the node process serves. A NodeManager
 * belongs to the last session that said hello for it; when that ends, its jobs are kept for the
 * grace time. A job's secret opens what every NodeManager has of the job. Thread-safe.
 */
final class NodeManagers implements SegmentSource, JobSecrets, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeManagers.class);

    /** How a handler's connection learns that another one has taken its place. */
    interface Owner {
        /** Ends the connection; does not block. */
        void replaced();
    }

    private final MapOutputLayout layout;
    private final Function<String, String> settings;
    private final long graceNanos;
    private final LongSupplier clock;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private volatile Runnable onJobBegun = () -> {};
    private volatile Consumer<String> onJobGone = jobId -> {};
    private long aloneSince;

    /** One NodeManager; the fields but {@code manager} are guarded by the registry. */
    private static final class Entry {
        private final ServedNodeManager manager;
        private Owner owner;
        private long lostAt;
        private Set<String> told = new HashSet<>();

        /** Of the time before it came back with other directories; until it has told all. */
        private final List<ServedJob> former = new ArrayList<>();

        Entry(final ServedNodeManager manager) {
            this.manager = manager;
        }
    }

    /**
     * Creates an empty registry.
     *
     * @param layout of the map outputs of all NodeManagers
     * @param graceNanos how long jobs outlive their handler's connection
     * @param clock of nanoseconds
     */
    NodeManagers(
            final MapOutputLayout layout,
            final Function<String, String> settings,
            final long graceNanos,
            final LongSupplier clock) {
        this.layout = layout;
        this.settings = settings;
        this.graceNanos = graceNanos;
        this.clock = clock;
        this.aloneSince = clock.getAsLong();
    }

    /** Sets the listener for jobs that a NodeManager has told of. */
    void onJobBegun(final Runnable listener) {
        onJobBegun = listener;
    }

    /** Sets the listener for jobs that no NodeManager has any more. */
    void onJobGone(final Consumer<String> listener) {
        onJobGone = listener;
    }

    // ---- handlers ------------------------------------------------------------------------------

    /** A handler says hello; an earlier connection for the same NodeManager ends. */
    synchronized void connect(final ManagerHello hello, final Owner owner) {
        Entry entry = entries.get(hello.manager());
        if (entry != null && entry.owner != null) {
            LOG.warn("Another connection for {} takes the place of the first", hello.manager());
            entry.owner.replaced();
        }
        if (entry == null || !entry.manager.hello().equals(hello)) {
            entry = replace(entry, hello);
        }
        entry.owner = owner;
        entry.told = new HashSet<>();
    }

    private Entry replace(final Entry former, final ManagerHello hello) {
        final Entry entry = new Entry(new ServedNodeManager(hello, layout, settings));
        entries.put(hello.manager(), entry);
        if (former != null) {
            LOG.info("{} has come back with other directories", hello.manager());
            entry.former.addAll(former.former);
            entry.former.addAll(former.manager.jobs());
            former.manager.close();
        }
        return entry;
    }

    /** The entry, while this owner has it; null when another connection has taken its place. */
    private Entry owned(final String manager, final Owner owner) {
        final Entry entry = entries.get(manager);
        return entry != null && entry.owner == owner ? entry : null;
    }

    synchronized void begin(final String manager, final Owner owner, final ServedJob job) {
        final Entry entry = owned(manager, owner);
        if (entry == null) {
            return;
        }
        entry.manager.begin(job);
        entry.told.add(job.jobId());
        onJobBegun.run();
    }

    /** A NodeManager has sent all of its jobs: others have ended without a message. */
    synchronized void toldAll(final String manager, final Owner owner) {
        final Entry entry = owned(manager, owner);
        if (entry == null) {
            return;
        }
        entry.manager.keepOnly(entry.told).forEach(this::goneUnlessKnown);
        entry.former.forEach(job -> goneUnlessKnown(job.jobId()));
        entry.former.clear();
    }

    synchronized void end(final String manager, final Owner owner, final String jobId) {
        final Entry entry = owned(manager, owner);
        if (entry != null) {
            entry.manager.end(jobId);
            goneUnlessKnown(jobId);
        }
    }

    void taskEnded(final String manager, final Owner owner, final String jobId) {
        final Entry entry;
        synchronized (this) {
            entry = owned(manager, owner);
        }
        if (entry != null) {
            entry.manager.taskEnded(jobId);
        }
    }

    /** A handler's connection has ended. */
    synchronized void disconnect(final String manager, final Owner owner) {
        final Entry entry = owned(manager, owner);
        if (entry == null) {
            return;
        }
        entry.owner = null;
        entry.lostAt = clock.getAsLong();
        LOG.info(
                "The handler of {} is gone; its {} jobs are kept for {} s",
                manager,
                entry.manager.jobIds().size(),
                TimeUnit.NANOSECONDS.toSeconds(graceNanos));
    }

    /** Forgets NodeManagers that have been gone for the grace time. */
    synchronized void forgetLost() {
        final long now = clock.getAsLong();
        for (final Entry entry : List.copyOf(entries.values())) {
            if (entry.owner == null && now - entry.lostAt >= graceNanos) {
                forget(entry);
            }
        }
        if (!entries.isEmpty()) {
            aloneSince = now;
        }
    }

    private void forget(final Entry entry) {
        final String name = entry.manager.hello().manager();
        LOG.info("Forgetting {}: its handler has not come back", name);
        entries.remove(name);
        final List<ServedJob> jobs = new ArrayList<>(entry.former);
        jobs.addAll(entry.manager.jobs());
        entry.manager.close();
        jobs.forEach(job -> goneUnlessKnown(job.jobId()));
    }

    private void goneUnlessKnown(final String jobId) {
        if (managersOf(jobId).isEmpty()) {
            onJobGone.accept(jobId);
        }
    }

    /** How long there has been no NodeManager at all, in nanoseconds. */
    synchronized long aloneNanos() {
        return entries.isEmpty() ? clock.getAsLong() - aloneSince : 0;
    }

    /**
     * A NodeManager, for the status.
     *
     * @param manager itself
     * @param connected whether its handler is connected
     */
    record View(ServedNodeManager manager, boolean connected) {}

    /** All NodeManagers, by name. */
    synchronized List<View> views() {
        final List<View> views = new ArrayList<>();
        entries.keySet().stream()
                .sorted()
                .map(entries::get)
                .forEach(entry -> views.add(new View(entry.manager, entry.owner != null)));
        return views;
    }

    /**
     * The jobs of all NodeManagers, each once; those too of which it is not known whether a
     * NodeManager that has come back has them still.
     */
    synchronized List<ServedJob> jobs() {
        final Map<String, ServedJob> jobs = new HashMap<>();
        for (final Entry entry : entries.values()) {
            entry.former.forEach(job -> jobs.put(job.jobId(), job));
            entry.manager.jobs().forEach(job -> jobs.putIfAbsent(job.jobId(), job));
        }
        return List.copyOf(jobs.values());
    }

    // ---- serving -------------------------------------------------------------------------------

    private List<ServedNodeManager> managersOf(final String jobId) {
        final List<ServedNodeManager> managers = new ArrayList<>(1);
        for (final Entry entry : entries.values()) {
            if (entry.manager.knows(jobId)) {
                managers.add(entry.manager);
            }
        }
        return managers;
    }

    @Override
    public byte[] secretOf(final String jobId) {
        for (final Entry entry : entries.values()) {
            final byte[] secret = entry.manager.secretOf(jobId);
            if (secret != null) {
                return secret;
            }
        }
        return null;
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        final List<ServedNodeManager> managers = managersOf(jobId);
        requireKnown(jobId, managers);
        for (final ServedNodeManager manager : managers) {
            final SegmentAnswer found = manager.source().openIfCached(jobId, segment);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        final List<ServedNodeManager> managers = managersOf(jobId);
        requireKnown(jobId, managers);
        FetchException notFound = null;
        for (final ServedNodeManager manager : managers) {
            try {
                return manager.source().open(jobId, segment);
            } catch (final FetchException e) {
                if (e.reason() != Reason.NOT_FOUND) {
                    throw e;
                }
                notFound = e;
            }
        }
        throw notFound;
    }

    private static void requireKnown(final String jobId, final List<ServedNodeManager> managers)
            throws FetchException {
        if (managers.isEmpty()) {
            throw new FetchException(Reason.UNKNOWN_JOB, jobId + " is not known here");
        }
    }

    @Override
    public synchronized void close() {
        for (final Entry entry : entries.values()) {
            entry.manager.close();
        }
        entries.clear();
    }
}
