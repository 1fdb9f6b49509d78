// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.DirectMemory;
import io.spillway.transport.FailingMemory;
import io.spillway.transport.ucx.Ucx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpRequestParams;

final class BufferPoolTest {
    private UcpContext context;
    private BufferPool pool;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @BeforeEach
    void make() {
        context = UcxLibrary.newContext(UcxSettings.from(name -> null));
        pool = new BufferPool(context, 2L * BufferPool.SLAB_BYTES, DirectMemory.SYSTEM);
    }

    @AfterEach
    void close() {
        pool.close();
        context.close();
    }

    private static final class Taker implements BufferPool.Waiter {
        private final String jobId;
        private final int length;
        private BufferPool.Buffer buffer;
        private boolean gaveUp;
        private Throwable refusal;

        Taker(final String jobId, final int length) {
            this.jobId = jobId;
            this.length = length;
        }

        @Override
        public String jobId() {
            return jobId;
        }

        @Override
        public int length() {
            return length;
        }

        @Override
        public boolean isWaiting() {
            return !gaveUp;
        }

        @Override
        public void onBuffer(final BufferPool.Buffer given) {
            buffer = given;
        }

        @Override
        public void onNoBuffer(final Throwable cause) {
            refusal = cause;
        }
    }

    private Taker take(final int length) {
        return take("job", length);
    }

    private Taker take(final String jobId, final int length) {
        final Taker taker = new Taker(jobId, length);
        pool.request(taker);
        return taker;
    }

    @Test
    void givesExactlyWhatIsAskedFor() {
        final Taker one = take(1);
        final Taker odd = take(5_000);
        assertThat(one.buffer.bytes().remaining()).isOne();
        assertThat(odd.buffer.bytes().remaining()).isEqualTo(5_000);
        assertThat(pool.usedBytes()).isEqualTo(4096 + 8192);
        one.buffer.release();
        odd.buffer.release();
        assertThat(pool.usedBytes()).isZero();
        assertThatThrownBy(() -> odd.buffer.release()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void takesMemoryAsItIsNeededAndNeverMore() {
        assertThat(pool.registeredBytes()).isZero();
        final Taker first = take(BufferPool.SLAB_BYTES);
        assertThat(pool.registeredBytes()).isEqualTo(BufferPool.SLAB_BYTES);
        final Taker second = take(BufferPool.SLAB_BYTES);
        final Taker third = take(1);
        assertThat(third.buffer).isNull();
        assertThat(pool.registeredBytes()).isEqualTo(2L * BufferPool.SLAB_BYTES);
        first.buffer.release();
        assertThat(third.buffer).isNotNull();
        assertThat(second.buffer).isNotNull();
    }

    @Test
    void letsNobodyOvertake() {
        final Taker first = take(BufferPool.SLAB_BYTES);
        final Taker second = take(1);
        final Taker large = take(BufferPool.SLAB_BYTES);
        final Taker small = take(1);
        assertThat(large.buffer).isNull();
        assertThat(small.buffer).as("there would be room for it").isNull();
        second.buffer.release();
        assertThat(large.buffer).isNotNull();
        assertThat(small.buffer).isNull();
        first.buffer.release();
        assertThat(small.buffer).isNotNull();
    }

    @Test
    void passesOverWhoWaitsNoLonger() {
        final Taker first = take(BufferPool.SLAB_BYTES);
        final Taker second = take(BufferPool.SLAB_BYTES);
        final Taker left = take(BufferPool.SLAB_BYTES);
        final Taker next = take(10);
        left.gaveUp = true;
        first.buffer.release();
        assertThat(left.buffer).isNull();
        assertThat(next.buffer).isNotNull();
        assertThat(second.buffer).isNotNull();
    }

    /** Buddies find together again, whatever the order; no byte is given out twice. */
    @Test
    void survivesAnyOrder() {
        final Random random = new Random(5);
        final List<Taker> held = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(100) < 55 && held.size() < 200) {
                final Taker taker = take(1 + random.nextInt(1 << random.nextInt(18)));
                assertThat(taker.buffer).isNotNull();
                held.add(taker);
            } else if (!held.isEmpty()) {
                held.remove(random.nextInt(held.size())).buffer.release();
            }
            if (i % 1000 == 0) {
                assertDisjoint(held);
            }
        }
        held.forEach(taker -> taker.buffer.release());
        assertThat(pool.usedBytes()).isZero();
        assertThat(take(BufferPool.SLAB_BYTES).buffer).isNotNull();
        assertThat(take(BufferPool.SLAB_BYTES).buffer).isNotNull();
    }

    private static void assertDisjoint(final List<Taker> held) {
        final Set<Long> pages = new HashSet<>();
        for (final Taker taker : held) {
            for (int page = 0; page < taker.length; page += 4096) {
                assertThat(pages.add(taker.buffer.address() + page)).isTrue();
            }
        }
    }

    /** No buffer would ever come back: a waiter would wait for ever. */
    @Test
    void turnsAwayWhoCouldWaitForEverForLackOfMemory() {
        final FailingMemory memory = new FailingMemory();
        final BufferPool small = new BufferPool(context, BufferPool.SLAB_BYTES, memory);
        memory.failAt(1, 1);
        final Taker unlucky = new Taker("job", 1000);
        small.request(unlucky);
        assertThat(unlucky.buffer).isNull();
        assertThat(unlucky.refusal).hasMessageContaining("registered memory");
        final Taker lucky = new Taker("job", 1000);
        small.request(lucky);
        assertThat(lucky.refusal).isNull();
        lucky.buffer.release();
        assertThat(small.usedBytes()).isZero();
        small.close();
    }

    // ---- jobs ----------------------------------------------------------------------------------

    @Test
    void noRegistrationEverServesTwoJobs() {
        final Random random = new Random(11);
        final Map<UcpRequestParams, String> jobs = new HashMap<>();
        final List<Taker> asked = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            if (random.nextInt(100) < 55 && asked.size() < 60) {
                asked.add(take("job" + random.nextInt(5), 1 + random.nextInt(1 << 20)));
            } else if (!asked.isEmpty()) {
                giveBack(asked.remove(random.nextInt(asked.size())));
            }
            for (final Taker taker : asked) {
                if (taker.buffer != null) {
                    assertThat(jobs.computeIfAbsent(taker.buffer.params(), key -> taker.jobId))
                            .isEqualTo(taker.jobId);
                }
            }
        }
        asked.forEach(BufferPoolTest::giveBack);
        assertThat(pool.usedBytes()).isZero();
    }

    private static void giveBack(final Taker taker) {
        if (taker.buffer == null) {
            taker.gaveUp = true;
        } else {
            taker.buffer.release();
        }
    }

    /** A key is good for all of a registration, also for what nobody has written yet. */
    @Test
    void aRegistrationHoldsNothingOfAJobThatHadItsMemory() {
        final Taker first = take("one", BufferPool.SLAB_BYTES);
        final Taker second = take("one", BufferPool.SLAB_BYTES);
        for (final Taker taker : List.of(first, second)) {
            while (taker.buffer.bytes().hasRemaining()) {
                taker.buffer.bytes().putLong(-1);
            }
            taker.buffer.release();
        }
        final Taker other = take("other", 1 << 20);
        assertThat(other.buffer.params()).isNotIn(first.buffer.params(), second.buffer.params());
        while (other.buffer.bytes().hasRemaining()) {
            assertThat(other.buffer.bytes().getLong()).isZero();
        }
    }

    @Test
    void aJobGetsTheMemoryThatIsRegisteredForItAgain() {
        final Taker first = take("one", 10);
        first.buffer.release();
        final Taker other = take("other", 10);
        final Taker again = take("one", 10);
        assertThat(again.buffer.params()).isSameAs(first.buffer.params());
        assertThat(other.buffer.params()).isNotSameAs(first.buffer.params());
    }

    /** It gives nothing back, as where its clients take nothing. */
    @Test
    void aJobThatTakesAllItCanLeavesRoomToOthers() {
        final List<Taker> ofGreedy = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ofGreedy.add(take("greedy", 1 << 20));
        }
        assertThat(ofGreedy).filteredOn(taker -> taker.buffer != null).hasSize(22);
        for (int i = 0; i < 100; i++) {
            final Taker other = take("other", 1 << 20);
            assertThat(other.buffer).isNotNull();
            other.buffer.release();
        }
        final List<Taker> ofThree = List.of(take("a", 1), take("b", 1), take("c", 1));
        assertThat(ofThree).allMatch(taker -> taker.buffer != null);
        ofGreedy.get(0).buffer.release();
        assertThat(ofGreedy).filteredOn(taker -> taker.buffer != null).hasSize(22);
    }

    @Test
    void aJobThatHasNothingComesFirst() {
        final Taker all = take("one", BufferPool.SLAB_BYTES);
        final Taker rest = take("one", BufferPool.SLAB_BYTES);
        final Taker more = take("one", 10);
        final Taker other = take("other", 10);
        assertThat(more.buffer).isNull();
        assertThat(other.buffer).isNull();
        all.buffer.release();
        assertThat(other.buffer).isNotNull();
        assertThat(rest.buffer).isNotNull();
        assertThat(more.buffer).as("nobody waits who has nothing").isNotNull();
    }
}
