package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.Completions;
import io.spillway.transport.mpi.library.MpiException;
import io.spillway.transport.mpi.library.MpiWorld;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

    /** The least tag of bytes alone. */
    static final int FIRST_BULK_TAG = 2;

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

        /** Receiving has failed: parcels may be lost. */
        void broken(MpiException cause);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Postman.class);

    /** So many parcels come in while the thread is busy before MPI has to keep them. */
    private static final int SLOTS = 64;

    private static final int COMPLETIONS = 64;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final MpiWorld world;
    private final Receiver receiver;
    private final Completions done = new Completions(COMPLETIONS);
    private final Ended[] batch = new Ended[COMPLETIONS];
    private Ended[] pending = new Ended[COMPLETIONS];
    private int pendingCount;
    private final Slot[] slots = new Slot[SLOTS];

    /** The slot whose receive was posted first: MPI fills them in that order. */
    private int firstSlot;

    private int nextTag = FIRST_BULK_TAG;
    private final Queue<Drain> drains = new ArrayDeque<>();
    private ByteBuffer scratch;
    private long lastFailureNanos = System.nanoTime() - REST_NANOS;
    private boolean stopped;

    Postman(final MpiWorld world, final Receiver receiver) {
        this.world = world;
        this.receiver = receiver;
    }

    /** Begins to receive. */
    void start() throws MpiException {
        final ByteBuffer memory = ByteBuffer.allocateDirect(SLOTS * PieceSizes.MAX_MESSAGE);
        scratch = ByteBuffer.allocateDirect(PieceSizes.MAX_BULK);
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot(memory, i * PieceSizes.MAX_MESSAGE);
            slots[i].post();
        }
    }

    /** How many requests are under way, receives of parcels left out. */
    int underWay() {
        return pendingCount - SLOTS;
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

    /** Receives that have failed are posted again after a while: they may fail at once again. */
    private void deliver() throws MpiException {
        if (!slots[firstSlot].isFilled()) {
            return;
        }
        final boolean rests = lastFailureNanos + REST_NANOS - System.nanoTime() > 0;
        while (!stopped && slots[firstSlot].isFilled()) {
            final Slot slot = slots[firstSlot];
            if (slot.hasFailed() && rests) {
                return;
            }
            firstSlot = (firstSlot + 1) % SLOTS;
            slot.deliver();
            slot.post();
        }
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
            filled = false;
            hold(
                    world.receive(
                            memory, offset, PieceSizes.MAX_MESSAGE, MpiWorld.ANY_RANK, PARCEL_TAG),
                    this);
        }

        boolean isFilled() {
            return filled;
        }

        boolean hasFailed() {
            return failure != null;
        }

        @Override
        public void ended(final int fromRank, final int count, final MpiException cause) {
            filled = true;
            rank = fromRank;
            length = count;
            failure = cause;
        }

        void deliver() {
            if (failure != null) {
                lastFailureNanos = System.nanoTime();
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

    /** A tag for bytes alone, which no message that is on its way from here has. */
    int nextBulkTag() {
        final int tag = nextTag;
        nextTag = tag == world.maxTag() ? FIRST_BULK_TAG : tag + 1;
        return tag;
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
        hold(world.send(bytes, offset, length, rank, tag), listener);
    }

    // ---- receiving -----------------------------------------------------------------------------

    /** Receives bytes that a parcel has announced. */
    void receiveBulk(
            final int rank,
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final int tag,
            final Ended listener)
            throws MpiException {
        hold(world.receive(bytes, offset, length, rank, tag), listener);
    }

    /** Receives bytes that no stream waits for, so that their sender gets its memory back. */
    void drain(final int rank, final int length, final int tag) {
        drains.add(new Drain(rank, length, tag));
        if (drains.size() == 1) {
            drainNext();
        }
    }

    private void drainNext() {
        while (!drains.isEmpty() && !stopped) {
            final Drain next = drains.element();
            try {
                receiveBulk(
                        next.rank(),
                        scratch,
                        0,
                        next.length(),
                        next.tag(),
                        (rank, length, failure) -> drained());
                return;
            } catch (final MpiException e) {
                LOG.warn("Bytes of a stream that has ended stay with rank {}", next.rank(), e);
                drains.remove();
            }
        }
    }

    private void drained() {
        drains.remove();
        drainNext();
    }

    private record Drain(int rank, int length, int tag) {}

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
