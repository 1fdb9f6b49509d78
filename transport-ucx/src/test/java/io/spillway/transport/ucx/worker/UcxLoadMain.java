// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * A JVM that loads UCX while its other threads need SIGSEGV: compiled code looks for null by it,
 * and stops at safepoints by it.
 */
final class UcxLoadMain {
    private static final int THREADS = 3;

    /** So that the code is compiled before UCX comes. */
    private static final int WARM_UP = 20_000;

    private static volatile boolean ended;

    private UcxLoadMain() {}

    public static void main(final String[] arguments) throws InterruptedException {
        final CountDownLatch warm = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            final Thread thread = new Thread(() -> lookForNull(warm));
            thread.setDaemon(true);
            thread.start();
        }
        warm.await();
        final Optional<String> obstacle = UcxLibrary.obstacle(UcxSettings.from(name -> null));
        ended = true;
        System.out.println("LOADED " + obstacle.orElse(""));
        System.exit(0);
    }

    private static void lookForNull(final CountDownLatch warm) {
        final int[][] arrays = {null};
        for (long found = 0; !ended; ) {
            try {
                found -= arrays[0].length;
            } catch (final NullPointerException e) {
                found++;
            }
            if (found == WARM_UP) {
                warm.countDown();
            }
        }
    }
}
