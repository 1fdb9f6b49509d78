// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.engine.reduce.fetch.FailedFetches;
import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.fetch.FetchParts;
import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.SegmentReceiver;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.segment.SegmentPlacement;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.mapred.MapOutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches from nodes that answer stock HTTP only, one request a node at a time. Owned by the loop's
 * thread; requests run on threads of its own, and send it messages.
 */
public final class HttpFetcher implements FallbackFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFetcher.class);

    private static final long POSTPONE_MILLIS = 1000;

    private final HttpSettings settings;
    private final ShuffleLoop loop;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final FetchPlanner planner;
    private final HttpPlacer placer;
    private final SegmentReceiver receiver;
    private final FailedFetches failed;
    private final ExecutorService threads;
    private final Set<HttpFetch> requests = new HashSet<>();

    /**
     * Creates a fetcher that has asked for nothing.
     *
     * @param localFiles names the files of segments that have no room in memory
     */
    public HttpFetcher(
            final HttpSettings settings, final MapOutputFile localFiles, final FetchParts parts) {
        this.settings = settings;
        this.loop = parts.shuffle().loop;
        this.progress = parts.shuffle().progress;
        this.connections = parts.connections();
        this.planner = parts.planner();
        this.placer = new HttpPlacer(settings.shuffle(), localFiles, loop, parts.shuffle().pool);
        this.receiver = parts.receiver();
        this.failed = parts.failed();
        this.threads = loop.blockingThreads("spillway-http", settings.shuffle().parallelCopies);
    }

    /** Asks a node for the fetches that wait for it, up to stock's limit. */
    @Override
    public void fetch(final Node node) {
        final List<SegmentFetch> batch = batch(node);
        if (batch.isEmpty()) {
            return;
        }
        node.beginHttp();
        final HttpFetch request = new HttpFetch(settings, node, batch, loop::nowMillis, new Sink());
        requests.add(request);
        threads.execute(
                () -> {
                    try {
                        request.run();
                    } catch (final RuntimeException | Error e) {
                        loop.fail(e);
                    } finally {
                        loop.execute(
                                LoopMessage.WHOLE_REQUEST_ENDED, () -> requests.remove(request));
                    }
                });
    }

    private List<SegmentFetch> batch(final Node node) {
        final List<SegmentFetch> batch = new ArrayList<>();
        while (batch.size() < HttpFetch.MAX_MAPS && node.hasWaiting()) {
            final SegmentFetch fetch = node.poll();
            if (!fetch.isDropped() && !fetch.isComplete()) {
                batch.add(fetch);
            }
        }
        return batch;
    }

    /** When a request last began, or brought bytes; 0 when there is none. */
    @Override
    public long lastActivityMillis() {
        return requests.stream().mapToLong(HttpFetch::lastActivityMillis).max().orElse(0);
    }

    /** A time-out of 0 is none. */
    @Override
    public long answerMillis() {
        return settings.readMillis() == 0 || settings.connectMillis() == 0
                ? TimeUnit.DAYS.toMillis(1)
                : (long) settings.readMillis() + settings.connectMillis();
    }

    /** Ends every request, and deletes what they have put on disk and no merge has taken. */
    @Override
    public void close() {
        requests.forEach(HttpFetch::abandon);
        placer.close();
        if (requests.isEmpty()) {
            return;
        }
        final List<HttpFetch> open = List.copyOf(requests);
        // Closing a connection waits for the thread that reads it, until its read times out.
        DaemonThreads.of("spillway-http-close", () -> open.forEach(HttpFetch::disconnect)).start();
    }

    @Override
    public void stopThreads() {
        threads.shutdownNow();
    }

    /** On the requests' threads: turns what they tell into messages. */
    private final class Sink implements HttpFetch.Sink {
        @Override
        public SegmentPlacement place(final SegmentFetch fetch, final SegmentLengths lengths)
                throws IOException, InterruptedException {
            final CompletableFuture<SegmentPlacement> answer = new CompletableFuture<>();
            loop.execute(
                    LoopMessage.WHOLE_PLACE,
                    () -> {
                        try {
                            answer.complete(placer.place(fetch, lengths));
                        } catch (final RuntimeException e) {
                            answer.completeExceptionally(e);
                            throw e;
                        }
                    });
            try {
                while (!answer.isDone() && !loop.isOver()) {
                    waitFor(answer);
                }
                return answer.isDone() ? answer.get() : SegmentPlacement.NOWHERE;
            } catch (final ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }

        private void waitFor(final CompletableFuture<SegmentPlacement> answer)
                throws InterruptedException, ExecutionException {
            try {
                answer.get(StallClock.HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                LOG.trace("Still waiting for room", e);
            }
        }

        @Override
        public void fetched(final SegmentFetch fetch, final SegmentPlacement placement) {
            loop.execute(
                    LoopMessage.WHOLE_FETCHED, () -> HttpFetcher.this.fetched(fetch, placement));
        }

        @Override
        public void failed(
                final SegmentFetch fetch,
                final SegmentPlacement placementOrNull,
                final ShuffleError error,
                final Exception cause) {
            loop.execute(
                    LoopMessage.WHOLE_FAILED,
                    () -> HttpFetcher.this.failed(fetch, placementOrNull, error, cause));
        }

        @Override
        public void refused(
                final Node node, final List<SegmentFetch> untouched, final long millis) {
            LOG.warn("Connection rejected by the host {}. Will retry later.", node.address);
            loop.execute(
                    LoopMessage.WHOLE_NODE_ANSWERED,
                    () -> {
                        untouched.forEach(planner::requeue);
                        failed.nodeRefused(node, millis);
                    });
        }

        @Override
        public void unreachable(
                final Node node, final List<SegmentFetch> untouched, final IOException cause) {
            LOG.warn("Failed to fetch from {} over HTTP", node.address, cause);
            loop.execute(
                    LoopMessage.WHOLE_NODE_ANSWERED,
                    () -> {
                        untouched.forEach(planner::requeue);
                        failed.nodeFailed(node, cause);
                    });
        }

        @Override
        public void ended(final Node node, final List<SegmentFetch> untouched) {
            loop.execute(
                    LoopMessage.WHOLE_NODE_ANSWERED,
                    () -> {
                        untouched.forEach(planner::requeue);
                        if (untouched.isEmpty()) {
                            node.resume();
                        } else {
                            connections.rest(node, POSTPONE_MILLIS);
                        }
                    });
        }

        @Override
        public void localFailure(final IOException cause) {
            loop.fail(cause);
        }
    }

    private void fetched(final SegmentFetch fetch, final SegmentPlacement placement) {
        progress.fetchedOverHttp(fetch.partLength());
        fetch.node().succeeded();
        if (fetch.isDropped()) {
            release(fetch, placement);
            return;
        }
        placer.filled(fetch);
        receiver.receivedWhole(fetch, placement);
    }

    private void failed(
            final SegmentFetch fetch,
            final SegmentPlacement placementOrNull,
            final ShuffleError error,
            final Exception cause) {
        if (placementOrNull != null) {
            release(fetch, placementOrNull);
        }
        failed.wholeFailed(fetch, error, cause);
    }

    private void release(final SegmentFetch fetch, final SegmentPlacement placement) {
        placer.release(fetch, placement);
        planner.chunkReturned(fetch);
    }
}
