// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Every rank sends to the next one, and takes what comes from any. */
final class MpiRing {
    private static final int LARGE = 4 << 20;
    private static final int SMALL_MESSAGES = 2_000;
    private static final int IN_FLIGHT = 16;
    private static final int SMALL = 64;
    private static final int TAG_SMALL = 1;
    private static final int TAG_LARGE = 2;
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(6);
    private static final long NAP = TimeUnit.MICROSECONDS.toNanos(50);

    private final MpiWorld world;
    private final Completions done = new Completions(8);
    private final long deadline = System.nanoTime() + PATIENCE;
    private final int nextRank;
    private final int lastRank;

    MpiRing(final MpiWorld world) {
        this.world = world;
        nextRank = (world.rank() + 1) % world.size();
        lastRank = (world.rank() + world.size() - 1) % world.size();
    }

    void run() throws MpiException {
        System.out.println("rank " + world.rank() + " of " + world.size());
        broadcasts();
        smallOnesComeInTheirOrder();
        largeOnes();
        allToOne();
        failsWhatIsTooLong(SMALL);
        failsWhatIsTooLong(LARGE);
        world.barrier();
        world.finish();
    }

    private void broadcasts() throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(16);
        if (world.rank() == 1) {
            bytes.putLong(0, 4711);
        }
        world.broadcast(bytes, 16, 1);
        assertThat(bytes.getLong(0)).isEqualTo(4711);
    }

    private int poll() throws MpiException {
        final int found = pollAny();
        assertNoErrors();
        return found;
    }

    private int pollAny() throws MpiException {
        final int found = world.poll(done);
        assertThat(System.nanoTime()).as("time-out").isLessThan(deadline);
        if (found == 0) {
            LockSupport.parkNanos(NAP);
        }
        return found;
    }

    private void awaitAny() throws MpiException {
        int found = 0;
        while (found == 0) {
            found = pollAny();
        }
    }

    private void assertNoErrors() {
        for (int i = 0; i < done.size(); i++) {
            assertThat(done.error(i)).isZero();
        }
    }

    /** The receive that was posted first takes the message that was sent first. */
    private void smallOnesComeInTheirOrder() throws MpiException {
        final ByteBuffer in = ByteBuffer.allocateDirect(SMALL * IN_FLIGHT);
        final ByteBuffer out = ByteBuffer.allocateDirect(SMALL * SMALL_MESSAGES);
        final int[] receives = new int[IN_FLIGHT];
        final int[] expected = new int[IN_FLIGHT];
        for (int slot = 0; slot < IN_FLIGHT; slot++) {
            expected[slot] = slot;
            receives[slot] = receiveSmall(in, slot);
        }
        int posted = IN_FLIGHT;
        int sent = 0;
        int ended = 0;
        while (posted < SMALL_MESSAGES + IN_FLIGHT || ended < SMALL_MESSAGES) {
            while (sent < SMALL_MESSAGES && sent - ended < IN_FLIGHT) {
                out.putInt(sent * SMALL, sent);
                world.send(out, sent * SMALL, SMALL, nextRank, TAG_SMALL);
                sent++;
            }
            poll();
            // A new request may take a handle over that this poll has found.
            final int[] slots = slots(receives);
            for (int i = 0; i < slots.length; i++) {
                if (slots[i] < 0) {
                    ended++;
                    continue;
                }
                assertThat(done.rank(i)).isEqualTo(lastRank);
                assertThat(done.count(i)).isEqualTo(SMALL);
                assertThat(in.getInt(slots[i] * SMALL)).isEqualTo(expected[slots[i]]);
                expected[slots[i]] = posted++;
                receives[slots[i]] = receiveSmall(in, slots[i]);
            }
        }
        cancel(receives);
    }

    private int receiveSmall(final ByteBuffer in, final int slot) throws MpiException {
        return world.receive(in, slot * SMALL, SMALL, MpiWorld.ANY_RANK, TAG_SMALL);
    }

    /** Of each completion, which receive it is of, or -1 for a send. */
    private int[] slots(final int[] receives) {
        final int[] slots = new int[done.size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = indexOf(receives, done.handle(i));
        }
        return slots;
    }

    private void cancel(final int[] receives) throws MpiException {
        for (final int handle : receives) {
            world.cancel(handle);
        }
        for (int left = receives.length; left > 0; ) {
            final int found = poll();
            for (int i = 0; i < found; i++) {
                assertThat(done.isCancelled(i)).isTrue();
            }
            left -= found;
        }
    }

    private static int indexOf(final int[] handles, final int handle) {
        for (int i = 0; i < handles.length; i++) {
            if (handles[i] == handle) {
                return i;
            }
        }
        return -1;
    }

    private void largeOnes() throws MpiException {
        final ByteBuffer out = ByteBuffer.allocateDirect(LARGE);
        final ByteBuffer in = ByteBuffer.allocateDirect(LARGE);
        for (int round = 0; round < 5; round++) {
            fill(out, world.rank() + round);
            final int receive = world.receive(in, 0, LARGE, MpiWorld.ANY_RANK, TAG_LARGE);
            world.send(out, 0, LARGE, nextRank, TAG_LARGE);
            for (int left = 2; left > 0; ) {
                left -= poll();
                for (int i = 0; i < done.size(); i++) {
                    final boolean isReceive = done.handle(i) == receive;
                    assertThat(done.rank(i)).isEqualTo(isReceive ? lastRank : nextRank);
                    assertThat(done.count(i)).isEqualTo(LARGE);
                }
            }
            fill(out, lastRank + round);
            assertThat(in.equals(out)).as("bytes of round " + round).isTrue();
            world.barrier();
        }
    }

    private static void fill(final ByteBuffer bytes, final int seed) {
        for (int i = 0; i < LARGE; i += Long.BYTES) {
            bytes.putLong(i, i * 0x9E3779B97F4A7C15L + seed);
        }
    }

    /** Rank 0 takes from any, and knows from whom by the completion. */
    private void allToOne() throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(SMALL * world.size());
        final int others = world.size() - 1;
        if (world.rank() > 0) {
            bytes.putInt(0, world.rank());
            world.send(bytes, 0, SMALL, 0, 100 + world.rank());
            for (int left = 1; left > 0; ) {
                left -= poll();
            }
            return;
        }
        boolean[] seen = new boolean[world.size()];
        for (int i = 0; i < others; i++) {
            world.receive(bytes, i * SMALL, SMALL, MpiWorld.ANY_RANK, MpiWorld.ANY_TAG);
        }
        for (int left = others; left > 0; ) {
            left -= poll();
            for (int i = 0; i < done.size(); i++) {
                assertThat(done.tag(i)).isEqualTo(100 + done.rank(i));
                assertThat(seen[done.rank(i)]).isFalse();
                seen[done.rank(i)] = true;
            }
        }
    }

    /** The receive is there first; half the message has room. Its sender may fail or not. */
    private void failsWhatIsTooLong(final int length) throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        if (world.rank() == 0) {
            final int receive = world.receive(bytes, 0, length / 2, 1, TAG_LARGE);
            world.barrier();
            awaitAny();
            assertThat(done.handle(0)).isEqualTo(receive);
            assertThat(done.error(0)).isNotZero();
            MpiAlone.assertIsTooLong(world.failure(done.error(0)));
            return;
        }
        world.barrier();
        if (world.rank() == 1) {
            world.send(bytes, 0, length, 0, TAG_LARGE);
            awaitAny();
        }
    }
}
