// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.PieceRequest;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.segment.Hops;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.PieceChecks;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether another attempt of a map has the same output as far as the merge has come: asks
 * it for all bytes that went into the merge, piece by piece, and compares their digests and the
 * lengths of all runs. Only then may the merge go on with that attempt: its result is what it would
 * be, had all been fetched from there. Owned by the loop's thread.
 *
 * <p>The pieces go into a buffer of its own, of one chunk: the pool's chunks may all be held by
 * streams that wait for this one.
 */
final class AttemptFailover {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptFailover.class);

    /** Learns how it ended; called once, unless it was cancelled. */
    interface Listener {
        /** It asks for the next piece. */
        void stepped();

        /** The attempt's output begins with the same bytes. */
        void same(AttemptFailover failover);

        /** It does not, or is where the merge cannot go on with it. */
        void unfit(AttemptFailover failover, String why);

        /** Its output cannot be had. */
        void failed(AttemptFailover failover, FetchException cause);
    }

    private static final long OPEN_AGAIN_MILLIS = 50;

    final MapSlot map;
    final MapSlot.Candidate candidate;

    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final NodeConnections connections;
    private final Listener listener;
    private final List<SegmentFetch> fetches;
    private final List<Long> delivered;
    private final List<Long> digests;

    /** How many records each run of the attempt has, as its node says. */
    private final long[] records;

    /** The checksums of the bytes that have passed, by run of the attempt. */
    private final SegmentChecksum[] checksums;

    private final Chunk piece;
    private final long startMillis;
    private final long deadlineMillis;

    private final Hops hops = new Hops();

    /** Where the output is asked for. */
    private Node node;

    private PieceChecks checks = new PieceChecks();
    private int run;
    private long offset;
    private boolean over;

    AttemptFailover(
            final MapSlot map,
            final MapSlot.Candidate candidate,
            final ShuffleSettings settings,
            final ShuffleLoop loop,
            final NodeConnections connections,
            final Listener listener) {
        this.map = map;
        this.candidate = candidate;
        this.node = candidate.node;
        this.settings = settings;
        this.loop = loop;
        this.connections = connections;
        this.listener = listener;
        this.fetches = List.copyOf(map.fetches());
        this.delivered = fetches.stream().map(SegmentFetch::delivered).toList();
        this.digests = fetches.stream().map(SegmentFetch::deliveredDigest).toList();
        this.records = new long[fetches.size()];
        this.piece = new Chunk(new byte[settings.chunkSize], 0, settings.chunkSize);
        this.startMillis = loop.nowMillis();
        this.deadlineMillis = startMillis + settings.streamRetryMillis;
        this.checksums =
                fetches.stream()
                        .map(fetch -> new SegmentChecksum(fetch.partLength(), settings.form))
                        .toArray(SegmentChecksum[]::new);
    }

    /** Whether the source that was to be replaced has brought bytes since. */
    boolean isOvertaken() {
        for (int i = 0; i < fetches.size(); i++) {
            if (fetches.get(i).delivered() != delivered.get(i)) {
                return true;
            }
        }
        return false;
    }

    /** Stops; the listener is not called. Idempotent. */
    void cancel() {
        over = true;
    }

    /** Asks for the next piece; or, while the node cannot be asked, tries again later. */
    void advance() {
        if (over) {
            return;
        }
        listener.stepped();
        if (node.state() == Node.State.OPEN) {
            request();
        } else if (loop.nowMillis() > deadlineMillis || isNotReadyForGood()) {
            end(() -> listener.failed(this, unreachable(node)));
        } else if (node.failures() > 0 && hasOtherPlace()) {
            askAnotherPlace();
        } else {
            connections.open(node);
            loop.schedule(LoopMessage.COMPARE_AGAIN, OPEN_AGAIN_MILLIS, this::advance);
        }
    }

    /** A node that starts may answer so too, but not for long. */
    private boolean isNotReadyForGood() {
        return NodePatience.isReasonOfAStart(node.refusal()) && isStarted();
    }

    private boolean isStarted() {
        return loop.nowMillis() > startMillis + NodePatience.START_MILLIS;
    }

    private boolean hasOtherPlace() {
        return node != candidate.node && hops.hasOther(node.address);
    }

    /** The node where the output was announced names one that has not failed. */
    private void askAnotherPlace() {
        hops.failedAt(node.address);
        node = candidate.node;
        advance();
    }

    private static FetchException unreachable(final Node node) {
        if (node.refusal() == FetchException.Reason.NOT_SPILLWAY) {
            return new FetchException(node.refusal(), "its node answers stock HTTP only");
        }
        return new FetchException(
                node.refusal() == null ? FetchException.Reason.DISCONNECTED : node.refusal(),
                node.address + " cannot be reached");
    }

    private void request() {
        final SegmentFetch fetch = fetches.get(run);
        final int wanted = (int) Math.min(settings.chunkSize, delivered.get(run) - offset);
        new PieceRequest(node, loop, LoopMessage.COMPARED_PIECE_ANSWERED) {
            @Override
            protected void fetched(final FetchReply reply) {
                connections.proven(node, channel);
                received(fetch, wanted, reply);
            }

            @Override
            protected void elsewhere(final SegmentPlaces places) {
                connections.proven(node, channel);
                follow(places);
            }

            @Override
            protected void failed(final FetchException cause) {
                AttemptFailover.this.failed(channel, cause);
            }
        }.send(
                new SegmentId(candidate.attempt.name(), fetch.id.partition(), run),
                offset,
                piece.destination(wanted));
    }

    private void follow(final SegmentPlaces places) {
        if (over) {
            return;
        }
        final SegmentPlace place = hops.choose(places);
        final String problem = hops.sentOn(node.address, place.address());
        if (problem == null) {
            node = connections.node(place.address());
            advance();
        } else {
            final FetchException cause =
                    new FetchException(FetchException.Reason.NOT_FOUND, problem);
            end(() -> listener.failed(this, cause));
        }
    }

    private void failed(final Channel channel, final FetchException cause) {
        final boolean hasFallback = channel.hasFallback();
        if (hasFallback || !channel.isOpen()) {
            // Else the next piece would be asked for over the same broken channel.
            connections.lost(node, channel, cause);
        }
        if (cause.reason() == FetchException.Reason.LOCAL && !hasFallback) {
            loop.fail(cause);
            return;
        }
        if (!hasFallback && hasOtherPlace()) {
            askAnotherPlace();
        } else if ((hasFallback || isPassing(cause.reason()))
                && loop.nowMillis() < deadlineMillis) {
            loop.schedule(LoopMessage.COMPARE_AGAIN, OPEN_AGAIN_MILLIS, this::advance);
        } else {
            end(() -> listener.failed(this, cause));
        }
    }

    /** Whether the node may serve the output when it is asked again. */
    private boolean isPassing(final FetchException.Reason reason) {
        return switch (reason) {
            case DISCONNECTED, TIMED_OUT, BUSY -> true;
            case UNKNOWN_JOB -> !isStarted();
            default -> false;
        };
    }

    private void received(final SegmentFetch fetch, final int wanted, final FetchReply reply) {
        if (over) {
            return;
        }
        hops.arrived();
        final String problem = problemOf(fetch, wanted, reply);
        if (problem != null) {
            end(() -> listener.unfit(this, notTheSame(problem)));
            return;
        }
        records[run] = reply.records();
        piece.length(wanted);
        final String damage = checks.problemOf(piece, offset, reply);
        if (damage != null) {
            damaged(damage);
            return;
        }
        checksums[run].update(piece.bytes(), piece.offset(), wanted, piece.checksum());
        offset += wanted;
        if (offset < delivered.get(run)) {
            advance();
        } else if (checksums[run].digest() != digests.get(run)) {
            final String what = "the first " + delivered.get(run) + " bytes of run " + run;
            end(() -> listener.unfit(this, notTheSame(what)));
        } else {
            nextRun();
        }
    }

    /** Says nothing about what the map wrote: the piece is fetched again once. */
    private void damaged(final String damage) {
        LOG.warn("Damaged map output of {}: {}", this, damage);
        if (checks.isDamagedAgain(offset)) {
            final FetchException cause =
                    new FetchException(FetchException.Reason.SOURCE_FAILED, damage);
            end(() -> listener.failed(this, cause));
        } else {
            advance();
        }
    }

    private static String notTheSame(final String what) {
        return "its output is not the same: "
                + what
                + " (a map that gives other records each time?)";
    }

    /** How many records a run of the attempt has. Once its output was found to be the same. */
    long records(final int ofRun) {
        return records[ofRun];
    }

    /** Checksum of a run's bytes so far. To be called once the output was found to be the same. */
    SegmentChecksum checksum(final int ofRun) {
        return checksums[ofRun];
    }

    /** What is still to come may be other records, and more or fewer. */
    private String problemOf(final SegmentFetch fetch, final int wanted, final FetchReply reply) {
        if (fetch.isComplete() && fetch.records.contradicts(reply.records())) {
            return "records=" + reply.records() + ", expected " + fetch.records.expected();
        }
        final SegmentLengths found = SegmentLengths.of(reply, settings.form);
        return found.part() == fetch.partLength()
                        && found.raw() == fetch.rawLength()
                        && found.runs() == fetch.runs()
                        && reply.length() == wanted
                ? null
                : found
                        + ", expected "
                        + fetch.partLength()
                        + ", "
                        + fetch.rawLength()
                        + " and "
                        + fetch.runs();
    }

    private void nextRun() {
        run++;
        if (run == fetches.size()) {
            end(() -> listener.same(this));
            return;
        }
        offset = 0;
        node = candidate.node;
        hops.arrived();
        checks = new PieceChecks();
        advance();
    }

    private void end(final Runnable event) {
        if (!over) {
            over = true;
            event.run();
        }
    }

    @Override
    public String toString() {
        return candidate.attempt + " at " + candidate.node.address;
    }
}
