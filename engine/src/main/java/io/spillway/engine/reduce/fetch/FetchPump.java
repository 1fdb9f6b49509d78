// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for pieces of segments over the nodes' channels, several at a time. Owned by the loop's
 * thread; the transport's answers reach it as messages.
 */
public final class FetchPump implements NodeFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(FetchPump.class);

    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final ChunkPool pool;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final FetchPlanner planner;
    private final SegmentReceiver receiver;
    private final FailedFetches failed;
    private final MapAttempts attempts;

    public FetchPump(
            final ShuffleSettings settings,
            final ShuffleLoop loop,
            final ChunkPool pool,
            final ShuffleProgress progress,
            final NodeConnections connections,
            final FetchPlanner planner,
            final SegmentReceiver receiver,
            final FailedFetches failed,
            final MapAttempts attempts) {
        this.settings = settings;
        this.loop = loop;
        this.pool = pool;
        this.progress = progress;
        this.connections = connections;
        this.planner = planner;
        this.receiver = receiver;
        this.failed = failed;
        this.attempts = attempts;
    }

    /** Sends as many requests of waiting fetches as an open node takes. */
    @Override
    public void fetch(final Node node) {
        while (node.inFlight() < settings.requestsInFlight && node.state() == Node.State.OPEN) {
            final SegmentFetch fetch = node.poll();
            if (fetch == null) {
                return;
            }
            final Chunk chunk = fetch.wantsMore() ? planner.chunkFor(fetch) : null;
            if (chunk != null) {
                request(node, fetch, chunk);
            }
            planner.enqueueAgain(fetch);
        }
    }

    private void request(final Node node, final SegmentFetch fetch, final Chunk chunk) {
        final long offset = fetch.takeOffset();
        final int wanted = fetch.wantedAt(offset);
        node.requestBegan(loop.nowMillis());
        fetch.requestBegan(loop.nowMillis());
        progress.requestBegan();
        node.channel()
                .fetch(
                        fetch.id,
                        offset,
                        chunk.destination(wanted),
                        new Request(node, node.channel(), fetch, offset, wanted, chunk));
    }

    /** One request in flight; then the message that brings its answer, which needs no memory. */
    private final class Request implements FetchListener, Runnable {
        private final Node node;
        private final Channel channel;
        private final SegmentFetch fetch;
        private final long offset;
        private final int wanted;
        private final Chunk chunk;
        private FetchReply reply;
        private SegmentPlaces places;
        private FetchException cause;

        Request(
                final Node node,
                final Channel channel,
                final SegmentFetch fetch,
                final long offset,
                final int wanted,
                final Chunk chunk) {
            this.node = node;
            this.channel = channel;
            this.fetch = fetch;
            this.offset = offset;
            this.wanted = wanted;
            this.chunk = chunk;
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply answer) {
            reply = answer;
            loop.execute(LoopMessage.PIECE_ANSWERED, this);
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces others) {
            places = others;
            loop.execute(LoopMessage.PIECE_ANSWERED, this);
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException failure) {
            cause = failure;
            loop.execute(LoopMessage.PIECE_ANSWERED, this);
        }

        @Override
        public void run() {
            if (reply != null) {
                fetched(this, reply);
            } else if (places != null) {
                elsewhere(this, places);
            } else {
                failed(this, cause);
            }
        }
    }

    private void fetched(final Request request, final FetchReply reply) {
        final Node node = request.node;
        final SegmentFetch fetch = request.fetch;
        node.requestEnded(loop.nowMillis());
        fetch.requestEnded(loop.nowMillis());
        progress.requestEnded(reply.length());
        if (fetch.isDropped()) {
            pool.giveBack(fetch.claim, request.chunk);
            planner.chunkReturned(fetch);
            connections.pump(node);
            return;
        }
        final String problem =
                SegmentLengths.problemOf(
                        fetch, reply, request.offset, request.wanted, settings.compressed);
        if (problem != null) {
            pool.giveBack(fetch.claim, request.chunk);
            connections.pump(node);
            failed.wrongLength(fetch, problem);
            return;
        }
        connections.proven(node, request.channel);
        fetch.hops.arrived();
        request.chunk.length(reply.length());
        final String damage = fetch.checks.problemOf(request.chunk, request.offset, reply);
        if (damage != null) {
            damaged(request, damage);
            return;
        }
        if (!reply.hasChecksum()) {
            fetch.queue.markUnverified();
        }
        if (!fetch.checks.isDamaged()) {
            fetch.source.recover();
        }
        if (fetch.source.resume()) {
            progress.resumed();
        }
        if (!fetch.lengthsKnown()) {
            fetch.learn(reply.partLength(), reply.rawLength(), reply.runs());
            fetch.records.expect(reply.records(), fetch.attempt);
            pool.limit(settings.chunksBeside(reply.rawLength()));
            planner.plan(fetch);
            if (fetch.id.run() == 0) {
                attempts.startOtherRuns(fetch);
            }
        }
        receiver.received(fetch, request.offset, request.chunk);
        planner.enqueue(fetch);
        connections.pump(node);
        planner.refill();
    }

    /** The node names others, to one of which all of the fetch goes from now on. */
    private void elsewhere(final Request request, final SegmentPlaces places) {
        final Node node = request.node;
        final SegmentFetch fetch = request.fetch;
        requestEnded(request);
        connections.proven(node, request.channel);
        if (!fetch.isDropped() && fetch.node() == node) {
            follow(fetch, places);
        }
        planner.chunkReturned(fetch);
        connections.pump(node);
        planner.refill();
    }

    private void follow(final SegmentFetch fetch, final SegmentPlaces places) {
        final SegmentPlace place = fetch.hops.choose(places);
        final String problem = fetch.hops.sentOn(fetch.node().address, place.address());
        if (problem == null) {
            LOG.debug("{} is at {}", fetch, places);
            planner.move(fetch, connections.node(place.address()));
            return;
        }
        final FetchException cause = new FetchException(FetchException.Reason.NOT_FOUND, problem);
        if (fetch.isAway() && place.address().equals(fetch.node().address)) {
            // The map has put it into this node, which was started again since.
            failed.lost(fetch, cause);
            goHome(fetch);
        } else {
            mapFailed(fetch, cause);
        }
    }

    private void refused(final SegmentFetch fetch, final FetchException cause) {
        if (fetch.hasOtherPlace()) {
            LOG.info("{} has another copy: {}", fetch, cause.getMessage());
            planner.moveHome(fetch);
            planner.enqueue(fetch);
        } else if (fetch.isAway() && cause.reason() == FetchException.Reason.NOT_FOUND) {
            // A node keeps what it has committed until it ends: it was started again since.
            failed.lost(fetch, cause);
            goHome(fetch);
        } else {
            mapFailed(fetch, cause);
        }
    }

    private void mapFailed(final SegmentFetch fetch, final FetchException cause) {
        failed.mapFailed(fetch, cause);
        goHome(fetch);
    }

    /** The node where the output was announced may know more by the next time. */
    private void goHome(final SegmentFetch fetch) {
        if (!fetch.isDropped() && fetch.isAway()) {
            planner.moveHome(fetch);
        }
    }

    /** A request has brought nothing: its bytes are to be asked for again. */
    private void requestEnded(final Request request) {
        final SegmentFetch fetch = request.fetch;
        request.node.requestEnded(loop.nowMillis());
        fetch.requestEnded(loop.nowMillis());
        progress.requestEnded(0);
        if (fetch.isDropped()) {
            pool.giveBack(fetch.claim, request.chunk);
        } else {
            pool.giveBackUnfilled(fetch.claim, request.chunk);
            fetch.askAgain(request.offset);
        }
    }

    /** Nothing has seen the bytes; they are to be asked for again. */
    private void damaged(final Request request, final String damage) {
        final SegmentFetch fetch = request.fetch;
        progress.retried();
        pool.giveBackUnfilled(fetch.claim, request.chunk);
        fetch.askAgain(request.offset);
        failed.damaged(fetch, request.offset, damage);
        planner.chunkReturned(fetch);
        connections.pump(request.node);
        planner.refill();
    }

    private void failed(final Request request, final FetchException cause) {
        final Node node = request.node;
        final SegmentFetch fetch = request.fetch;
        requestEnded(request);
        progress.retried();
        if (!fetch.isDropped()) {
            if (progress.isMerging()) {
                fetch.source.interrupt();
            }
        }
        if (request.channel.hasFallback()) {
            planner.requeue(fetch);
            connections.lost(node, request.channel, cause);
        } else if (cause.reason() == FetchException.Reason.LOCAL) {
            loop.fail(cause);
            return;
        } else if (isNodeRefusal(cause)) {
            planner.requeue(fetch);
            connections.refused(node, request.channel, cause);
        } else if (request.channel.isOpen()) {
            node.answered();
            if (fetch.node() == node) {
                refused(fetch, cause);
            }
        } else {
            planner.requeue(fetch);
            connections.lost(node, request.channel, cause);
        }
        planner.chunkReturned(fetch);
        connections.pump(node);
        connections.pump(fetch.node());
        planner.refill();
    }

    private static boolean isNodeRefusal(final FetchException cause) {
        return cause.reason() == FetchException.Reason.UNKNOWN_JOB
                || cause.reason() == FetchException.Reason.BUSY;
    }
}
