// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.ReduceEngine;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputFeed;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.hadoop.combine.CursorIterator;
import io.spillway.hadoop.combine.MergeCombiner;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.http.HttpFetcher;
import io.spillway.hadoop.placement.LocatingService;
import io.spillway.hadoop.report.ReportPublisher;
import io.spillway.hadoop.tier.LevelStores;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.Transport;
import io.spillway.transport.sharedfs.SharedTransport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.util.Progress;

/**
 * The shuffle of one reduce task: the engine, and what Hadoop gives it. Used by the task thread;
 * {@link #close} also by others.
 */
public final class ReduceShuffle implements AutoCloseable {
    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final ReduceEngine engine;

    /**
     * Prepares the shuffle; nothing runs yet.
     *
     * @param choice one that does not ask for the stock shuffle
     * @param transport belongs to the shuffle from here on
     */
    public ReduceShuffle(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final ShuffleChoice choice,
            final Transport transport) {
        this(context, choice, transport, new SystemThreads());
    }

    ReduceShuffle(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final ShuffleChoice choice,
            final Transport transport,
            final ShuffleThreads threads) {
        this.context = context;
        final JobSettings settings = choice.settings();
        final SecretKey secret = context.getReduceTask().getShuffleSecret();
        final JobCredentials credentials =
                new JobCredentials(settings.reduceId.getJobID().toString(), secret.getEncoded());
        this.engine =
                new ReduceEngine(
                        settings.shuffle,
                        host(context, settings, credentials, transport, threads),
                        parts ->
                                new HttpFetcher(
                                        settings.http(secret), context.getMapOutputFile(), parts),
                        transport,
                        threads);
    }

    private static ShuffleHost host(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final JobSettings settings,
            final JobCredentials credentials,
            final Transport transport,
            final ShuffleThreads threads) {
        final TaskReports reports = new TaskReports(context);
        final OutputPlaces service =
                LocatingService.of(new Lookup(context.getJobConf()), credentials);
        final Optional<SharedPlaces> shared =
                transport instanceof SharedTransport through
                        ? Optional.of(new SharedPlaces(through, credentials.jobId(), service))
                        : Optional.empty();
        return new ShuffleHost(
                new ShuffleHost.MapOutputs(
                        feed(context, settings, shared, threads),
                        shared.<OutputPlaces>map(places -> places).orElse(service),
                        reports,
                        credentials),
                new ShuffleHost.JobRecords(
                        settings::keyOrder,
                        new MergeCombiner(context, settings.reduceId),
                        context.getCodec()),
                new ShuffleHost.TaskView(
                        new CopyStatus(context, settings.shuffle.numMaps),
                        reports,
                        context.getReporter(),
                        report -> publish(report, context)),
                new LevelStores(context, settings.stores));
    }

    private static OutputFeed feed(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final JobSettings settings,
            final Optional<SharedPlaces> shared,
            final ShuffleThreads threads) {
        return (events, need, onFailure) ->
                new CompletionPoller(
                        settings,
                        threads,
                        context.getUmbilical(),
                        batch -> {
                            final List<OutputEvent> all = MapOutputEvents.of(batch);
                            shared.ifPresent(places -> places.note(all));
                            events.accept(all);
                        },
                        need,
                        onFailure);
    }

    /**
     * Copies, and opens the merge.
     *
     * @throws IOException when the shuffle failed; everything is freed then
     */
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        final Progress progress = new Progress();
        final MergedRecords records = engine.run(part -> progress.set((float) part));
        try {
            if (engine.hasUnverified()) {
                ReducerGuard.install(context.getJobConf(), engine::verifyAfter);
            }
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
        return new CursorIterator(
                () -> records.next() ? records.current() : null, progress, records::close);
    }

    /**
     * The reduce has succeeded: frees everything. A reducer that has not taken all records may have
     * taken some that are not verified: these are, before the task commits anything.
     *
     * @throws java.io.UncheckedIOException when the attempt must fail
     */
    public void finish() {
        engine.finish();
    }

    /** Publishes that a task uses the stock shuffle. */
    public static void countStockFallback(final ShuffleConsumerPlugin.Context<?, ?> context) {
        final TaskReport report = new TaskReport();
        report.note("task", context.getReduceId().toString());
        report.add(ShuffleCounter.STOCK_FALLBACKS, 1);
        publish(report, context);
    }

    private static void publish(
            final TaskReport report, final ShuffleConsumerPlugin.Context<?, ?> context) {
        ReportPublisher.publish(report, context.getJobConf(), context.getReporter());
    }

    /** The engine. */
    ReduceEngine engine() {
        return engine;
    }

    /** Frees everything and publishes the report. Idempotent. */
    @Override
    public void close() {
        engine.close();
    }
}
