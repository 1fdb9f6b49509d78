// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.map.remote.RemoteSink;
import io.spillway.engine.map.remote.RemoteStoreException;
import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.MapStage;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.SortBuffer;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the output of a map to other nodes, where the framework has some for it: gathered from the
 * sort buffer; as runs, where reducers can read them; or merged from spills and what is left in the
 * buffer. Buffer and spills stay as they are until the nodes have the whole output. One thread.
 */
final class RemoteWriter {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteWriter.class);

    private final SpillSettings settings;
    private final MapHost host;
    private final TaskReport report;
    private final StageProfile profile;
    private final Spills spills;
    private final RecordAccount account;

    RemoteWriter(
            final SpillSettings settings,
            final MapHost host,
            final TaskReport report,
            final StageProfile profile,
            final Spills spills,
            final RecordAccount account) {
        this.settings = settings;
        this.host = host;
        this.report = report;
        this.profile = profile;
        this.spills = spills;
        this.account = account;
    }

    /**
     * Writes the output to other nodes.
     *
     * @param last the records that were not spilled
     * @return whether they have it; if not, nothing was counted, and it is to be written here
     */
    boolean write(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        final Optional<RemoteOutput> found = host.output().remote(spills.bytes() + last.bytes());
        if (found.isEmpty()) {
            return false;
        }
        try (RemoteOutput nodes = found.get()) {
            if (settings.partitions() <= nodes.maxSegments()) {
                return write(last, nodes);
            }
            LOG.warn(
                    "The output stays on this host: it has {} segments, a node takes at most {};"
                            + " those of the former release take more where {} is larger",
                    settings.partitions(),
                    nodes.maxSegments(),
                    ProtocolKeys.NODE_PUT_BYTES);
            report.add(ShuffleCounter.PLACEMENT_FALLBACKS, 1);
            return false;
        }
    }

    private boolean write(final SortBuffer last, final RemoteOutput nodes)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (spills.isEmpty()) {
            return send(MapStage.SPILL, nodes, sink -> gather(last, sink));
        }
        if (maySendRuns(last, nodes)) {
            return sendRuns(last, nodes);
        }
        final long start = System.nanoTime();
        profile.time(MapStage.MERGE, spills::reduceFanIn);
        final boolean written = send(MapStage.MERGE, nodes, sink -> merge(last, sink));
        report.add(ShuffleCounter.MERGE_MILLIS, millis(System.nanoTime() - start));
        if (written) {
            spills.deleteAll();
        }
        return written;
    }

    /** Whether the spills, and what is in the buffer, may be the output's runs as they are. */
    private boolean maySendRuns(final SortBuffer last, final RemoteOutput nodes) {
        final int runs = spills.count() + (last.records() > 0 ? 1 : 0);
        return runs > 1
                && runs <= settings.mostRuns()
                && (long) runs * settings.partitions() <= nodes.maxSegments()
                && spills.haveChecksums();
    }

    private boolean sendRuns(final SortBuffer last, final RemoteOutput nodes)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (!send(MapStage.MERGE, nodes, sink -> sendRuns(last, sink))) {
            return false;
        }
        if (last.records() > 0) {
            spills.countSpill();
        }
        spills.deleteAll();
        return true;
    }

    private void sendRuns(final SortBuffer last, final RemoteSink sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        final RunSender sender = new RunSender(host.heartbeat());
        for (final SortedSpill spill : spills.list()) {
            sender.send(spill, sink);
            account.add(spill);
        }
        if (last.records() > 0) {
            gather(last, sink);
        } else {
            commit(sink);
        }
    }

    /** Writes an output and commits it. */
    @FunctionalInterface
    private interface Sender {
        void sendTo(RemoteSink sink)
                throws IOException, InterruptedException, ClassNotFoundException;
    }

    private boolean send(final MapStage stage, final RemoteOutput nodes, final Sender sender)
            throws IOException, InterruptedException, ClassNotFoundException {
        final Runnable combined = spills.hasCombiner() ? host.combinerOrNull().mark() : () -> {};
        try (RemoteSink sink = new RemoteSink(nodes, settings.blockLength())) {
            try {
                profile.time(stage, () -> sender.sendTo(sink));
            } catch (final IOException | RuntimeException e) {
                // The job's combiner may have wrapped what the sink threw.
                final RemoteStoreException failure = sink.failureOrNull();
                if (failure == null) {
                    throw e;
                }
                combined.run();
                account.reset();
                fallBack(failure);
                return false;
            } finally {
                report.add(ShuffleCounter.REMOTE_WAIT_MILLIS, millis(sink.waitedNanos()));
            }
            host.output().leavePlaces(nodes.places(), sink.length());
            report.add(ShuffleCounter.OUTPUT_REMOTE_BYTES, sink.length());
            return true;
        }
    }

    private void fallBack(final RemoteStoreException failure) {
        LOG.warn(
                "{}: writing the map output to the tiers of this host instead",
                failure.getMessage());
        LOG.debug("The output at other nodes has failed", failure);
        report.add(ShuffleCounter.PLACEMENT_FALLBACKS, 1);
    }

    /** What nodes serve after a commit stays there until the job ends, even if this map fails. */
    private void commit(final RemoteSink sink) throws IOException {
        account.requireAll();
        sink.commit();
    }

    private void gather(final SortBuffer last, final RemoteSink sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        try (PartitionWriter segments = spills.sink(sink, sink::endSegment, true)) {
            spills.sortInto(last, segments);
            account.add(segments);
            commit(sink);
            host.counters().recordsSpilled(segments.recordsWritten());
        }
    }

    /**
     * A single spill would become the output as it is: it is not combined again, and its records do
     * not count as spilled twice.
     */
    private void merge(final SortBuffer last, final RemoteSink sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        final boolean isCopy = spills.count() == 1 && last.records() == 0;
        final boolean combine = !isCopy && spills.spilled() >= settings.minSpillsForCombine();
        try (PartitionWriter segments = spills.sink(sink, sink::endSegment, combine)) {
            spills.mergeInto(last, segments);
            account.add(segments);
            commit(sink);
            if (!isCopy) {
                host.counters().recordsSpilled(segments.recordsWritten());
            }
        }
    }

    private static long millis(final long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
