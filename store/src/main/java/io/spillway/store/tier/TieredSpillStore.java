// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chain of stores. A spill goes to the first that takes it, in the order of a {@link
 * TierSelection}; when a store fails or becomes full, even in the middle of a spill, the spill
 * moves to the next one with all its bytes. As thread-safe as its stores.
 */
public final class TieredSpillStore implements SpillStore {
    /** The memory that a spill moves through from one tier to the next, in bytes. */
    public static final int MOVE_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(TieredSpillStore.class);

    private final List<SpillStore> tiers;
    private final TierSelection selection;

    /** Creates a chain in its own order, which closes its stores with itself. */
    public TieredSpillStore(final List<? extends SpillStore> tiers) {
        this(tiers, TierSelection.inOrder(new WriteSpeeds()));
    }

    /** Creates a chain, which closes its stores with itself. */
    public TieredSpillStore(final List<? extends SpillStore> tiers, final TierSelection selection) {
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("tiers=[], expected at least one store");
        }
        this.tiers = List.copyOf(tiers);
        this.selection = selection;
    }

    @Override
    public String name() {
        return String.join(",", tiers.stream().map(SpillStore::name).toList());
    }

    @Override
    public SpillSink create(final String spill, final long expectedBytes) throws IOException {
        return new Sink(spill, expectedBytes);
    }

    @Override
    public void close() {
        for (final SpillStore tier : tiers) {
            tier.close();
        }
    }

    /** Writes to one tier at a time. */
    private final class Sink extends SpillSink {
        private final String spill;
        private final long expectedBytes;
        private final List<SpillStore> order = selection.order(tiers);
        private final List<IOException> failures = new ArrayList<>();
        private int tier;
        private SpillSink current;
        private boolean ended;
        private long writtenHere;
        private long nanosHere;

        Sink(final String spill, final long expectedBytes) throws IOException {
            super();
            this.spill = spill;
            this.expectedBytes = expectedBytes;
            this.current = open();
        }

        /** Opens the spill in this tier or the first after it that takes it. */
        private SpillSink open() throws IOException {
            while (tier < order.size()) {
                try {
                    return order.get(tier).create(spill, expectedBytes);
                } catch (final IOException e) {
                    giveUp(e);
                }
            }
            throw noneLeft();
        }

        private void giveUp(final IOException cause) {
            failures.add(cause);
            writtenHere = 0;
            nanosHere = 0;
            final String from = order.get(tier).name();
            tier++;
            final String to = tier < order.size() ? order.get(tier).name() : "none";
            if (cause instanceof StoreFullException) {
                LOG.info(
                        "Spill {} overflows from {} to {}: {}",
                        spill,
                        from,
                        to,
                        cause.getMessage());
            } else {
                LOG.warn("Spill {} moves from {} to {}", spill, from, to, cause);
            }
        }

        /** Ends the spill: what was taken so far has no place any more. */
        private IOException noneLeft() {
            if (current != null) {
                current.abort();
            }
            ended = true;
            final StringBuilder message = new StringBuilder("No store takes spill ").append(spill);
            for (int i = 0; i < failures.size(); i++) {
                message.append("; ").append(order.get(i).name()).append(": ");
                message.append(failures.get(i).getMessage());
            }
            final IOException all = new IOException(message.toString());
            failures.forEach(all::addSuppressed);
            return all;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            requireOpen();
            while (true) {
                try {
                    final long start = System.nanoTime();
                    current.write(bytes, offset, length);
                    nanosHere += System.nanoTime() - start;
                    writtenHere += length;
                    return;
                } catch (final IOException e) {
                    moveOn(e);
                }
            }
        }

        private void requireOpen() throws IOException {
            if (ended) {
                throw new IOException("spill=" + spill + " has ended");
            }
        }

        /** Moves what was written so far to the first following tier that takes all of it. */
        private void moveOn(final IOException cause) throws IOException {
            IOException failure = cause;
            while (failure != null) {
                giveUp(failure);
                final SpillSink next = open();
                failure = moveTo(next);
            }
        }

        /**
         * Moves to another tier; returns why that failed, or null.
         *
         * @throws IOException when the tier that failed has lost what it took
         */
        private IOException moveTo(final SpillSink target) throws IOException {
            final IOException failure;
            try {
                failure = copy(current, target);
            } catch (final IOException e) {
                target.abort();
                throw lost(e);
            }
            if (failure == null) {
                current.abort();
                current = target;
            } else {
                target.abort();
            }
            return failure;
        }

        private IOException lost(final IOException cause) {
            current.abort();
            ended = true;
            final IOException first = failures.get(failures.size() - 1);
            final IOException lost =
                    new IOException(
                            "Spill "
                                    + spill
                                    + " is lost: "
                                    + first.getMessage()
                                    + "; then its bytes could not be read back: "
                                    + cause.getMessage(),
                            cause);
            failures.forEach(lost::addSuppressed);
            return lost;
        }

        /** Returns why the target failed, or null; throws when the source cannot be read. */
        private IOException copy(final SpillSink source, final SpillSink target)
                throws IOException {
            final byte[] buffer = new byte[MOVE_BYTES];
            long left = source.position();
            try (InputStream in = source.readBack()) {
                while (left > 0) {
                    final int count = in.readNBytes(buffer, 0, (int) Math.min(MOVE_BYTES, left));
                    if (count == 0) {
                        throw new IOException(left + " bytes are missing");
                    }
                    left -= count;
                    final IOException failure = tryWrite(target, buffer, count);
                    if (failure != null) {
                        return failure;
                    }
                }
            }
            return null;
        }

        private IOException tryWrite(final SpillSink target, final byte[] buffer, final int count) {
            try {
                target.write(buffer, 0, count);
                return null;
            } catch (final IOException e) {
                return e;
            }
        }

        @Override
        public long position() {
            return current.position();
        }

        @Override
        public InputStream readBack() throws IOException {
            return current.readBack();
        }

        @Override
        public Spill commit() throws IOException {
            requireOpen();
            while (true) {
                try {
                    final long start = System.nanoTime();
                    final Spill committed = current.commit();
                    nanosHere += System.nanoTime() - start;
                    ended = true;
                    selection.speeds().wrote(committed.store(), writtenHere, nanosHere);
                    return committed;
                } catch (final IOException e) {
                    moveOn(e);
                }
            }
        }

        @Override
        public void abort() {
            if (!ended) {
                ended = true;
                current.abort();
            }
        }
    }
}
