package io.spillway.stream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class CopyMemoryTest {
    private static final int MOST = 100;

    private final CopyMemory memory = new CopyMemory(MOST);
    private final List<Integer> granted = new ArrayList<>();

    private void request(final int number, final int length) {
        memory.request(length, () -> granted.add(number));
    }

    @Example
    void grantsAtOnceWhereThereIsRoom() {
        request(1, 60);
        request(2, 40);
        assertThat(granted).containsExactly(1, 2);
        assertThat(memory.taken()).isEqualTo(MOST);
    }

    @Example
    void othersWaitForTheirTurnEvenWhereTheyWouldFit() {
        request(1, 60);
        request(2, 50);
        request(3, 10);
        assertThat(granted).containsExactly(1);
        memory.giveBack(60);
        assertThat(granted).containsExactly(1, 2, 3);
        assertThat(memory.taken()).isEqualTo(60);
    }

    @Example
    void grantsWhatIsLongerThanAllWhenNothingElseIsTaken() {
        request(1, 1);
        request(2, 1000);
        assertThat(granted).containsExactly(1);
        memory.giveBack(1);
        assertThat(granted).containsExactly(1, 2);
        memory.giveBack(1000);
        assertThat(memory.taken()).isZero();
    }

    @Property(tries = 5)
    void everyRequestIsGrantedAndNoMoreThanAllowedIsTaken(@ForAll final long seed)
            throws InterruptedException {
        final AtomicLong most = new AtomicLong();
        final CountDownLatch done = new CountDownLatch(4 * 200);
        final ExecutorService threads = Executors.newFixedThreadPool(6);
        for (int t = 0; t < 4; t++) {
            final Random random = new Random(seed + t);
            threads.execute(() -> requestAll(threads, random, most, done));
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
        assertThat(memory.taken()).isZero();
        assertThat(most.get()).isBetween(1L, (long) MOST);
    }

    private void requestAll(
            final ExecutorService threads,
            final Random random,
            final AtomicLong most,
            final CountDownLatch done) {
        for (int i = 0; i < 200; i++) {
            final int length = 1 + random.nextInt(MOST);
            memory.request(
                    length,
                    () ->
                            threads.execute(
                                    () -> {
                                        most.accumulateAndGet(memory.taken(), Math::max);
                                        memory.giveBack(length);
                                        done.countDown();
                                    }));
        }
    }
}
