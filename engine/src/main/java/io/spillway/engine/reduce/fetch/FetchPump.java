// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the nodes asked for what is queued at them; the only class that does. After each message to
 * the loop it goes over the nodes that may be asked for more than before: opens them, or sends as
 * many requests as they take. Other classes of the loop put fetches into the nodes' queues (see
 * {@link FetchPlanner}) and do not call this one. Answers come back as messages. Owned by the
 * loop's thread.
 */
public final class FetchPump {
    private static final Logger LOG = LoggerFactory.getLogger(FetchPump.class);

    private final ShuffleState shuffle;
    private final ChunkPool pool;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final FetchPlanner planner;
    private final SegmentReceiver receiver;
    private final FailedFetches failed;
    private final MapAttempts attempts;
    private final FallbackFetcher fallback;

    /** Creates a pump that asks for nothing yet. */
    public FetchPump(
            final FetchParts parts, final MapAttempts attempts, final FallbackFetcher fallback) {
        this.shuffle = parts.shuffle();
        this.pool = shuffle.pool;
        this.progress = shuffle.progress;
        this.connections = parts.connections();
        this.planner = parts.planner();
        this.receiver = parts.receiver();
        this.failed = parts.failed();
        this.attempts = attempts;
        this.fallback = fallback;
    }

    /** Asks for what is queued from the loop's next message on. */
    public void start() {
        shuffle.loop.afterEach(this::pump);
    }

    private void pump() {
        serveDue();
        while (planner.queueRefill()) {
            serveDue();
        }
    }

    private void serveDue() {
        Node node = connections.nextDue();
        while (node != null) {
            serve(node);
            node = connections.nextDue();
        }
    }

    private void serve(final Node node) {
        if (node.state() == Node.State.OPEN) {
            request(node);
        } else if (node.state() == Node.State.IDLE && node.hasWaiting()) {
            if (connections.goesOverHttp(node)
                    && shuffle.loop.nowMillis() < node.askAgainMillis()) {
                fallback.fetch(node);
            } else {
                connections.open(node);
            }
        }
    }

    /** Sends as many requests of waiting fetches as an open node takes. */
    private void request(final Node node) {
        while (node.inFlight() < shuffle.settings.requestsInFlight
                && node.state() == Node.State.OPEN) {
            final SegmentFetch fetch = node.poll();
            if (fetch == null) {
                return;
            }
            final Chunk chunk = fetch.wantsMore() ? planner.chunkFor(fetch) : null;
            if (chunk != null) {
                new Request(node, fetch, chunk).send();
            }
            planner.enqueueAgain(fetch);
        }
    }

    private final class Request extends PieceRequest {
        private final SegmentFetch fetch;
        private final Chunk chunk;
        private final long offset;
        private final int wanted;

        Request(final Node node, final SegmentFetch fetch, final Chunk chunk) {
            super(node, shuffle.loop, LoopMessage.PIECE_ANSWERED);
            this.fetch = fetch;
            this.chunk = chunk;
            this.offset = fetch.takeOffset();
            this.wanted = fetch.wantedAt(offset);
        }

        void send() {
            fetch.requestBegan(shuffle.loop.nowMillis());
            progress.requestBegan();
            send(fetch.id, offset, chunk.destination(wanted));
        }

        private void ended(final int length) {
            fetch.requestEnded(shuffle.loop.nowMillis());
            progress.requestEnded(length);
        }

        @Override
        protected void fetched(final FetchReply reply) {
            ended(reply.length());
            if (fetch.isDropped()) {
                pool.giveBack(fetch.claim, chunk);
                planner.chunkReturned(fetch);
                return;
            }
            final String problem =
                    SegmentLengths.problemOf(fetch, reply, offset, wanted, shuffle.settings.form);
            if (problem != null) {
                pool.giveBack(fetch.claim, chunk);
                failed.wrongLength(fetch, problem);
                return;
            }
            connections.proven(node, channel);
            fetch.hops.arrived();
            chunk.length(reply.length());
            final String damage = fetch.checks.problemOf(chunk, offset, reply);
            if (damage == null) {
                arrived(reply);
            } else {
                damaged(damage);
            }
        }

        private void arrived(final FetchReply reply) {
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
                learn(fetch, reply);
            }
            receiver.received(fetch, offset, chunk);
            planner.enqueue(fetch);
        }

        /** Nothing has seen the bytes; they are to be asked for again. */
        private void damaged(final String damage) {
            progress.retried();
            pool.giveBackUnfilled(fetch.claim, chunk);
            fetch.askAgain(offset);
            failed.damaged(fetch, offset, damage);
            planner.chunkReturned(fetch);
        }

        /** The node names others, to one of which all of the fetch goes from now on. */
        @Override
        protected void elsewhere(final SegmentPlaces places) {
            endedInVain();
            connections.proven(node, channel);
            if (!fetch.isDropped() && fetch.node() == node) {
                follow(fetch, places);
            }
            planner.chunkReturned(fetch);
        }

        /** It has brought nothing: its bytes are to be asked for again. */
        private void endedInVain() {
            ended(0);
            if (fetch.isDropped()) {
                pool.giveBack(fetch.claim, chunk);
            } else {
                pool.giveBackUnfilled(fetch.claim, chunk);
                fetch.askAgain(offset);
            }
        }

        @Override
        protected void failed(final FetchException cause) {
            endedInVain();
            progress.retried();
            if (!fetch.isDropped() && progress.isMerging()) {
                fetch.source.interrupt();
            }
            if (channel.hasFallback()) {
                planner.requeue(fetch);
                connections.lost(node, channel, cause);
            } else if (cause.reason() == FetchException.Reason.LOCAL) {
                shuffle.loop.fail(cause);
            } else if (isNodeRefusal(cause)) {
                planner.requeue(fetch);
                connections.refused(node, channel, cause);
            } else if (channel.isOpen()) {
                node.answered();
                if (fetch.node() == node) {
                    refused(fetch, cause);
                }
            } else {
                planner.requeue(fetch);
                connections.lost(node, channel, cause);
            }
            planner.chunkReturned(fetch);
        }
    }

    private static boolean isNodeRefusal(final FetchException cause) {
        return cause.reason() == FetchException.Reason.UNKNOWN_JOB
                || cause.reason() == FetchException.Reason.BUSY;
    }

    private void learn(final SegmentFetch fetch, final FetchReply reply) {
        fetch.learn(SegmentLengths.of(reply, shuffle.settings.form));
        fetch.records.expect(reply.records(), fetch.attempt);
        pool.limit(shuffle.settings.chunksBeside(fetch.rawLength()));
        planner.plan(fetch);
        if (fetch.id.run() == 0) {
            attempts.startOtherRuns(fetch);
        }
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
}
