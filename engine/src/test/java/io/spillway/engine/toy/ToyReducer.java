// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import io.spillway.engine.ReduceEngine;
import io.spillway.engine.reduce.fetch.NoFallback;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.CopyProgress;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.FailureReports;
import io.spillway.engine.spi.FailureRules;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputFeed;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.engine.spi.RunStores;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.engine.spi.TaskCounters;
import io.spillway.engine.spi.TaskSettings;
import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillStore;
import io.spillway.store.UnnamedFiles;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.Transport;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads one range of a job's keys, in their order. Used once.
 *
 * @param failed counts failed fetches
 */
record ToyReducer(ToyJob job, int range, Path dir, AtomicLong failed)
        implements CopyProgress, TaskCounters, FailureReports, RunCombiner.Source, RunStores {
    /** Reports each failed fetch, and tries again within a second. */
    static final FailureRules RULES =
            new FailureRules(1000, 5, 1, true, 1, new FailureRules.Restart(false, 0, 1000));

    /** Less memory than a range has data: the merge streams. */
    static final Map<String, String> SETTINGS = Map.of("spillway.shuffle.buffer.bytes", "256k");

    void run(final Consumer<RecordCursor> sink) throws IOException, InterruptedException {
        final Transport tcp = new TcpTransportProvider().newTransport(SETTINGS::get);
        try (ReduceEngine engine =
                new ReduceEngine(settings(), host(), NoFallback::new, tcp, new SystemThreads())) {
            final MergedRecords records = engine.run(part -> {});
            while (records.next()) {
                sink.accept(records.current());
            }
            engine.finish();
        }
    }

    private ShuffleSettings settings() {
        final TaskSettings task =
                new TaskSettings(
                        "r" + range,
                        range,
                        new TaskSettings.Maps(job.inputs().size(), 1, SegmentForm.PLAIN),
                        4,
                        0,
                        RULES);
        final long heap = Runtime.getRuntime().maxMemory();
        return new ShuffleSettings(task, SETTINGS::get, ToyRecords::order, heap);
    }

    private ShuffleHost host() {
        final OutputFeed feed = (events, need, onFailure) -> () -> feed(events, need);
        final Supplier<KeyOrder> order = ToyRecords::order;
        final JobCredentials us = ToyWorker.CREDENTIALS;
        return new ShuffleHost(
                new ShuffleHost.MapOutputs(feed, OutputPlaces.NONE, this, us),
                new ShuffleHost.JobRecords(order, this, null),
                new ShuffleHost.TaskView(this, this, () -> {}, report -> {}),
                this);
    }

    private void feed(final Consumer<List<OutputEvent>> events, final Supplier<EventNeed> need) {
        int seen = 0;
        while (need.get() != EventNeed.NOTHING && !Thread.interrupted()) {
            final List<OutputEvent> all = List.copyOf(job.events());
            events.accept(all.subList(seen, all.size()));
            seen = all.size();
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Override
    public void outputFailed(final OutputId output) {
        job.outputLost(output);
    }

    @Override
    public void fetchFailed() {
        failed.incrementAndGet();
    }

    @Override
    public long failedFetches() {
        return failed.get();
    }

    @Override
    public SpillStore open() {
        return FileSpillStore.ofFiles("disk", new UnnamedFiles(dir, new FreeSpace(dir, 0)));
    }

    @Override
    public boolean isDisk(final String tier) {
        return true;
    }

    @Override
    public boolean exists() {
        return false;
    }

    @Override
    public RunCombiner get() {
        throw new UnsupportedOperationException("get: there is no combiner");
    }

    @Override
    public void send() {}

    @Override
    public void began(final long nowNanos) {}

    @Override
    public void ended(final long bytes, final long nowNanos) {}

    @Override
    public void copied(final int done, final long nowNanos) {}

    @Override
    public void end() {}

    @Override
    public void mapShuffled() {}

    @Override
    public void bytesShuffled(final long bytes) {}

    @Override
    public void outputsMerged(final long count) {}

    @Override
    public void failed(final ShuffleError error) {}
}
