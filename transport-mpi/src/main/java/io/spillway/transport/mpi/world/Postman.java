// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.spillway.protocol.LogLimiter;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.Completions;
import io.spillway.transport.mpi.library.MpiException;
import io.spillway.transport.mpi.library.MpiMessages;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends and receives the messages of one rank, without waiting. Receives for short messages are
 * always posted; those for long ones are posted when there is memory for the bytes. Used by the
 * rank's thread.
 */
final class Postman {
    /** The tag of {@link Parcel parcels}. */
    static final int PARCEL_TAG = 1;

    /** What becomes of a request. */
    @FunctionalInterface
    interface Ended {
        /**
         * It has ended; its memory is free.
         *
         * @param rank the other side
         * @param length bytes received or sent
         * @param failure null where all is well
         */
        void ended(int rank, int length, MpiException failure);
    }

    /** Takes parcels in the order in which each rank has sent them. */
    interface Receiver {
        /** A parcel, the remaining bytes, which are free again when this returns. */
        void arrived(int rank, ByteBuffer parcel);

        /** Receiving has failed: parcels may be lost, or do not come in. */
        void broken(MpiException cause);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Postman.class);

    /** So many parcels come in while the thread is busy before MPI has to keep them. */
    private static final int SLOTS = 64;

    private static final int COMPLETIONS = 64;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final MpiMessages world;
    private final Receiver receiver;
    private final Completions done = new Completions(COMPLETIONS);
    private final Ended[] batch = new Ended[COMPLETIONS];
    private Ended[] pending = new Ended[COMPLETIONS];
    private int pendingCount;
    private final Slot[] slots = new Slot[SLOTS];

    /** The slot whose receive was posted first: MPI fills them in that order. */
    private int firstSlot;

    /** How many slots before the first one wait for their receive; they are posted in order. */
    private int unposted;

    private long restEndNanos;
    private boolean rests;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final Map<Integer, BulkTags> tags = new HashMap<>();
    private final LongSupplier clock;
    private final Drains drains = new Drains(this);
    private boolean stopped;

    Postman(final MpiMessages world, final Receiver receiver, final LongSupplier clock) {
        this.world = world;
        this.receiver = receiver;
        this.clock = clock;
    }

    /** In nanoseconds, of no meaning but by their differences. */
    long now() {
        return clock.getAsLong();
    }

    /** Begins to receive. */
    void start() throws MpiException {
        final ByteBuffer memory = ByteBuffer.allocateDirect(SLOTS * PieceSizes.MAX_MESSAGE);
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot(memory, i * PieceSizes.MAX_MESSAGE);
            slots[i].post();
        }
    }

    /** How many requests are under way, receives of parcels left out. */
    int underWay() {
        return pendingCount - (SLOTS - unposted);
    }

    /** Looks what has ended; returns how many requests. */
    int progress() throws MpiException {
        final int found = world.poll(done);
        // A request that a callback makes may get the handle of one later in this list.
        for (int i = 0; i < found; i++) {
            batch[i] = pending[done.handle(i)];
            pending[done.handle(i)] = null;
        }
        pendingCount -= found;
        for (int i = 0; i < found; i++) {
            tell(batch[i], i);
            batch[i] = null;
        }
        deliver();
        drains.look(now());
        return found;
    }

    private void tell(final Ended ended, final int index) {
        try {
            ended.ended(done.rank(index), done.count(index), failure(index));
        } catch (final RuntimeException | Error e) {
            LOG.error("The end of a request was not taken well", e);
        }
    }

    private MpiException failure(final int index) {
        final int error = done.error(index);
        return error == 0 ? null : world.failure(error);
    }

    // ---- parcels -------------------------------------------------------------------------------

    private void deliver() {
        postAll();
        while (!stopped && slots[firstSlot].isFilled()) {
            final Slot slot = slots[firstSlot];
            firstSlot = (firstSlot + 1) % SLOTS;
            unposted++;
            slot.deliver();
            postAll();
        }
    }

    /** After a failure it rests for a while: the next receive may fail at once again. */
    private void postAll() {
        if (unposted == 0 || stopped || (rests && restEndNanos - now() > 0)) {
            return;
        }
        try {
            while (unposted > 0) {
                slots[Math.floorMod(firstSlot - unposted, SLOTS)].post();
                unposted--;
            }
            receivesAgain();
        } catch (final MpiException e) {
            postingFailed(e);
        }
    }

    private void postingFailed(final MpiException cause) {
        warnings.warn(
                "Receives for messages of other ranks that cannot be posted: "
                        + unposted
                        + " of "
                        + SLOTS
                        + ", tried again every second: "
                        + cause.getMessage());
        rest();
        if (unposted == SLOTS) {
            // Streams would only wait for their time-outs.
            receiver.broken(cause);
        }
    }

    private void receivesAgain() {
        if (rests) {
            rests = false;
            LOG.info("All receives for messages of other ranks are posted again");
        }
    }

    private void rest() {
        rests = true;
        restEndNanos = now() + REST_NANOS;
    }

    /** Memory for one parcel on its way in. */
    private final class Slot implements Ended {
        private final ByteBuffer memory;
        private final int offset;
        private boolean filled;
        private int rank;
        private int length;
        private MpiException failure;

        Slot(final ByteBuffer memory, final int offset) {
            this.memory = memory;
            this.offset = offset;
        }

        void post() throws MpiException {
            hold(
                    world.receive(
                            memory,
                            offset,
                            PieceSizes.MAX_MESSAGE,
                            MpiMessages.ANY_RANK,
                            PARCEL_TAG),
                    this);
        }

        boolean isFilled() {
            return filled;
        }

        @Override
        public void ended(final int fromRank, final int count, final MpiException cause) {
            filled = true;
            rank = fromRank;
            length = count;
            failure = cause;
        }

        void deliver() {
            filled = false;
            if (failure != null) {
                rest();
                receiver.broken(failure);
                return;
            }
            receiver.arrived(rank, memory.slice(offset, length));
        }
    }

    // ---- sending -------------------------------------------------------------------------------

    /**
     * Sends a parcel, which is released when it has left.
     *
     * @param onFailure called where it has not: what follows it must not count
     */
    void send(final int rank, final ByteBuf parcel, final Consumer<MpiException> onFailure)
            throws MpiException {
        try {
            final int length = parcel.readableBytes();
            final ByteBuffer bytes = parcel.nioBuffer(parcel.readerIndex(), length);
            hold(
                    world.send(bytes, 0, length, rank, PARCEL_TAG),
                    (toRank, count, failure) -> sent(parcel, failure, onFailure));
        } catch (final MpiException | RuntimeException | Error e) {
            parcel.release();
            throw e;
        }
    }

    private static void sent(
            final ByteBuf parcel,
            final MpiException failure,
            final Consumer<MpiException> onFailure) {
        parcel.release();
        if (failure != null) {
            onFailure.accept(failure);
        }
    }

    /**
     * Takes a tag for bytes alone, which no message to a rank has that is on its way. {@link
     * #sendBulk} gives it back when its message has found its receive.
     *
     * @throws MpiException if all are taken
     */
    int takeBulkTag(final int rank) throws MpiException {
        return tagsTo(rank).take();
    }

    /** Gives a tag back that no parcel has announced. */
    void giveBulkTag(final int rank, final int tag) {
        tagsTo(rank).free(tag);
    }

    private BulkTags tagsTo(final int rank) {
        return tags.computeIfAbsent(rank, r -> new BulkTags(world.maxTag()));
    }

    /**
     * Sends bytes alone; a parcel has announced them.
     *
     * @param bytes a direct buffer, the listener's again when it is called
     */
    void sendBulk(
            final int rank,
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int tag,
            final Ended listener)
            throws MpiException {
        hold(
                world.sendMatched(bytes, offset, length, rank, tag),
                (toRank, count, failure) -> {
                    if (failure == null) {
                        giveBulkTag(rank, tag);
                    }
                    listener.ended(toRank, count, failure);
                });
    }

    // ---- receiving -----------------------------------------------------------------------------

    /** Receives bytes that a parcel has announced; returns the handle of the request. */
    int receiveBulk(
            final int rank,
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int tag,
            final Ended listener)
            throws MpiException {
        final int handle = world.receive(bytes, offset, length, rank, tag);
        hold(handle, listener);
        return handle;
    }

    /** Gives a receive up; its listener is called with length 0, or with what came before. */
    void cancel(final int handle) throws MpiException {
        world.cancel(handle);
    }

    /** Receives bytes that no stream waits for, so that their sender gets its memory back. */
    void drain(final int rank, final int length, final int tag) {
        drains.add(rank, length, tag, now());
    }

    private void hold(final int handle, final Ended listener) {
        if (handle >= pending.length) {
            pending = Arrays.copyOf(pending, Math.max(handle + 1, 2 * pending.length));
        }
        pending[handle] = listener;
        pendingCount++;
    }

    // ---- the end -------------------------------------------------------------------------------

    /** Takes no more parcels, and gives up the receives. */
    void stop() throws MpiException {
        stopped = true;
        drains.stop();
        for (int handle = 0; handle < pending.length; handle++) {
            if (pending[handle] instanceof Slot) {
                world.cancel(handle);
            }
        }
    }

    /** Whether no request is under way. */
    boolean isQuiet() {
        return pendingCount == 0;
    }
}
