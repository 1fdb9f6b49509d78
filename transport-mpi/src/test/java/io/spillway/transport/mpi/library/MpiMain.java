// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** One rank, in a JVM of its own: MPI can be initialised once a process. */
final class MpiMain {
    private static final int THREADS = 2;

    /** So that the code is compiled before MPI comes. */
    private static final int WARM_UP = 20_000;

    private static volatile boolean ended;

    private MpiMain() {}

    /**
     * Runs one scenario, and prints OK at its end.
     *
     * @param arguments the scenario, the compiler, and the library if it is built
     */
    public static void main(final String[] arguments) throws Exception {
        final MpiSettings settings =
                new MpiSettings(Arrays.stream(arguments).skip(2).findFirst(), arguments[1], false);
        switch (arguments[0]) {
            case "alone" -> alone(settings.alone());
            case "signals" -> signals(settings.alone());
            case "ring" -> new MpiRing(MpiWorld.start(settings)).run();
            case "memory" -> memory(settings);
            case "refused" -> refused(settings);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("OK");
    }

    private static void alone(final MpiSettings settings) throws Exception {
        final MpiWorld world = MpiWorld.start(settings);
        System.out.println(
                world.libraryVersion()
                        + "; threads "
                        + world.threadLevel()
                        + "; tags to "
                        + world.maxTag()
                        + "; on "
                        + world.processorName());
        new MpiAlone(world).run();
        world.finish();
        MpiAlone.refuses(IllegalStateException.class, world::barrier);
        MpiAlone.refuses(IllegalStateException.class, () -> MpiWorld.start(settings));
    }

    private static void memory(final MpiSettings settings) throws Exception {
        MpiLibrary.load(settings);
        new MemoryScenario().run();
    }

    /** Threads look for null by SIGSEGV while MPI is loaded, initialised and used. */
    private static void signals(final MpiSettings settings) throws Exception {
        final CountDownLatch warm = new CountDownLatch(THREADS);
        final Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> lookForNull(warm));
            threads[i].setDaemon(true);
            threads[i].start();
        }
        warm.await();
        final MpiWorld world = MpiWorld.start(settings);
        new MpiAlone(world).echo(ByteBuffer.allocateDirect(1 << 20), 200);
        lookForNull(new CountDownLatch(1));
        world.finish();
        lookForNull(new CountDownLatch(1));
        ended = true;
        for (final Thread thread : threads) {
            thread.join();
        }
    }

    /** Compiled code has no branch for this null: the handler of SIGSEGV throws the exception. */
    private static void lookForNull(final CountDownLatch warm) {
        final boolean isShort = warm.getCount() == 1;
        final int[][] arrays = {null};
        for (long found = 0; !(isShort ? found > WARM_UP : ended); ) {
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

    private static void refused(final MpiSettings settings) {
        try {
            MpiWorld.start(settings);
        } catch (final IOException e) {
            System.out.println("REFUSED " + e.getMessage());
            return;
        }
        throw new AssertionError("MPI has started");
    }
}
