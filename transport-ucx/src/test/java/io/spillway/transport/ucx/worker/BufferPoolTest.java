package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.DirectMemory;
import io.spillway.transport.FailingMemory;
import io.spillway.transport.ucx.Ucx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openucx.jucx.ucp.UcpContext;

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
        private final int length;
        private BufferPool.Buffer buffer;
        private boolean gaveUp;
        private Throwable refusal;

        Taker(final int length) {
            this.length = length;
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
        final Taker taker = new Taker(length);
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
        final Taker unlucky = new Taker(1000);
        small.request(unlucky);
        assertThat(unlucky.buffer).isNull();
        assertThat(unlucky.refusal).hasMessageContaining("registered memory");
        final Taker lucky = new Taker(1000);
        small.request(lucky);
        assertThat(lucky.refusal).isNull();
        lucky.buffer.release();
        assertThat(small.usedBytes()).isZero();
        small.close();
    }
}
