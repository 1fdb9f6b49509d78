// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives bytes that no stream waits for, so that their sender gets its memory back. A few at a
 * time, each into memory of its own. Bytes may never come, since their sender has died or failed:
 * so one rank has only some of the places, and what has not come within its turn makes room for
 * what waits, and waits again itself. Used by the rank's thread.
 */
final class Drains {
    private static final Logger LOG = LoggerFactory.getLogger(Drains.class);

    private static final int PLACES = 8;
    private static final int PLACES_OF_A_RANK = 2;
    private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Bytes that a parcel has announced. */
    private record Announced(int rank, int length, int tag) {}

    /** A receive under way. */
    private static final class Turn {
        private final Announced bytes;
        private final int place;
        private final long beginNanos;
        private int handle;
        private boolean isOver;

        Turn(final Announced bytes, final int place, final long beginNanos) {
            this.bytes = bytes;
            this.place = place;
            this.beginNanos = beginNanos;
        }
    }

    private final Postman postman;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(PLACES * PieceSizes.MAX_BULK);
    private final Deque<Integer> freePlaces = new ArrayDeque<>();
    private final List<Turn> turns = new ArrayList<>();

    /** By rank; the rank whose turn was longest ago comes first. */
    private final Map<Integer, Deque<Announced>> waiting = new LinkedHashMap<>();

    private boolean stopped;

    Drains(final Postman postman) {
        this.postman = postman;
        for (int i = 0; i < PLACES; i++) {
            freePlaces.add(i * PieceSizes.MAX_BULK);
        }
    }

    /** Receives bytes as soon as there is a place. */
    void add(final int rank, final int length, final int tag, final long nowNanos) {
        queueOf(rank).add(new Announced(rank, length, tag));
        beginAll(nowNanos);
    }

    private Deque<Announced> queueOf(final int rank) {
        return waiting.computeIfAbsent(rank, r -> new ArrayDeque<>());
    }

    /** Begins none any more. */
    void stop() {
        stopped = true;
    }

    // ---- turns ---------------------------------------------------------------------------------

    private void beginAll(final long nowNanos) {
        if (stopped || freePlaces.isEmpty()) {
            return;
        }
        for (final Integer rank : List.copyOf(waiting.keySet())) {
            final Deque<Announced> queue = waiting.get(rank);
            final boolean hasBegun = begin(rank, queue, nowNanos);
            if (hasBegun || queue.isEmpty()) {
                waiting.remove(rank);
            }
            if (hasBegun && !queue.isEmpty()) {
                waiting.put(rank, queue);
            }
        }
    }

    private boolean begin(final int rank, final Deque<Announced> queue, final long nowNanos) {
        boolean hasBegun = false;
        while (!queue.isEmpty() && !freePlaces.isEmpty() && turnsOf(rank) < PLACES_OF_A_RANK) {
            begin(queue.remove(), nowNanos);
            hasBegun = true;
        }
        return hasBegun;
    }

    private long turnsOf(final int rank) {
        return turns.stream().filter(turn -> turn.bytes.rank() == rank).count();
    }

    private void begin(final Announced bytes, final long nowNanos) {
        final Turn turn = new Turn(bytes, freePlaces.remove(), nowNanos);
        try {
            turn.handle =
                    postman.receiveBulk(
                            bytes.rank(),
                            memory,
                            turn.place,
                            bytes.length(),
                            bytes.tag(),
                            (rank, length, failure) -> ended(turn, length, failure));
            turns.add(turn);
        } catch (final MpiException e) {
            freePlaces.add(turn.place);
            LOG.warn("Bytes of a stream that has ended stay with rank {}", bytes.rank(), e);
        }
    }

    private void ended(final Turn turn, final int length, final MpiException failure) {
        turns.remove(turn);
        freePlaces.add(turn.place);
        final Announced bytes = turn.bytes;
        if (failure != null) {
            LOG.debug("Bytes of a stream that has ended did not come", failure);
        } else if (turn.isOver && length == 0) {
            queueOf(bytes.rank()).add(bytes);
        }
        beginAll(postman.now());
    }

    /** Gives the places of those whose turn is over to what waits. */
    void look(final long nowNanos) throws MpiException {
        if (waiting.isEmpty() || stopped) {
            return;
        }
        for (final Turn turn : turns) {
            if (!turn.isOver && nowNanos - turn.beginNanos >= TURN_NANOS) {
                turn.isOver = true;
                postman.cancel(turn.handle);
            }
        }
    }
}
