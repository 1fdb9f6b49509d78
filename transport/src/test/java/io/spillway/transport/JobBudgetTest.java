// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.serve.JobBudget;
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

final class JobBudgetTest {
    private static final int MOST = 100;

    private final JobBudget memory = new JobBudget(MOST);
    private final List<Integer> granted = new ArrayList<>();

    private void request(final int number, final int length) {
        request("job", number, length);
    }

    private void request(final String job, final int number, final int length) {
        if (memory.take(job, length, () -> granted.add(number))) {
            granted.add(number);
        }
    }

    @Example
    void grantsAtOnceWhereThereIsRoom() {
        request(1, 50);
        request(2, 40);
        assertThat(granted).containsExactly(1, 2);
        assertThat(memory.taken()).isEqualTo(90);
    }

    @Example
    void othersWaitForTheirTurnEvenWhereTheyWouldFit() {
        request(1, 60);
        request(2, 50);
        request(3, 10);
        assertThat(granted).containsExactly(1);
        memory.give("job", 60);
        assertThat(granted).containsExactly(1, 2, 3);
        assertThat(memory.taken()).isEqualTo(60);
    }

    @Example
    void grantsWhatIsLongerThanAllWhenNothingElseIsTaken() {
        request(1, 1);
        request(2, 1000);
        assertThat(granted).containsExactly(1);
        memory.give("job", 1);
        assertThat(granted).containsExactly(1, 2);
        memory.give("job", 1000);
        assertThat(memory.taken()).isZero();
    }

    @Example
    void aJobThatTakesAllItCanLeavesSomeToOthersWhichComeFirst() {
        for (int i = 0; i < 20; i++) {
            request("hostile", i, 8);
        }
        assertThat(memory.taken()).isBetween(60L, 75L);
        final int ofHostile = granted.size();
        request("other", 100, 8);
        assertThat(granted).endsWith(100);
        request("third", 101, 50);
        assertThat(granted).as("no room for so much").doesNotContain(101);
        memory.give("hostile", 8);
        memory.give("hostile", 8);
        memory.give("hostile", 8);
        assertThat(granted).as("the third job is first").hasSize(ofHostile + 1);
        memory.give("hostile", 8);
        assertThat(granted).contains(101);
    }

    @Example
    void oneThatLeavesTheLineMakesRoomForTheNext() {
        final JobBudget.Waiter waiter = () -> granted.add(1);
        request("job", 0, MOST);
        assertThat(memory.take("job", 10, waiter)).isFalse();
        request("job", 2, 20);
        assertThat(memory.leave("job", waiter)).isTrue();
        assertThat(memory.leave("job", waiter)).isFalse();
        memory.give("job", MOST);
        assertThat(granted).containsExactly(0, 2);
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
            final String job = "job" + random.nextInt(3);
            final JobBudget.Waiter use =
                    () ->
                            threads.execute(
                                    () -> {
                                        most.accumulateAndGet(memory.taken(), Math::max);
                                        memory.give(job, length);
                                        done.countDown();
                                    });
            if (memory.take(job, length, use)) {
                use.granted();
            }
        }
    }
}
