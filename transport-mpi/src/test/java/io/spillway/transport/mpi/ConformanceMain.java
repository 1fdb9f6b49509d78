// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * One rank of a world of tests. Rank 0 runs the test classes that the arguments name: its servers
 * are its own, and its clients go through the rank that a property names. The others carry bytes
 * until it has ended.
 */
public final class ConformanceMain {
    private static final String RESULT = "result";
    private static final String DONE = "done";

    private ConformanceMain() {}

    /** Runs the tests, or waits for them. */
    public static void main(final String[] classes) throws Exception {
        final TestWorld world = TestWorld.get();
        final Path folder = Path.of(System.getProperty(TestWorld.FOLDER));
        if (world.world().rank() == 0) {
            try {
                run(classes, folder, world);
            } finally {
                Files.createFile(folder.resolve(DONE));
            }
        } else {
            while (!Files.exists(folder.resolve(DONE))) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        world.close();
        System.exit(0);
    }

    private static void run(final String[] classes, final Path folder, final TestWorld world)
            throws Exception {
        while (!Files.exists(world.socketOfTasks())) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        final ClassSelector[] selected =
                Arrays.stream(classes)
                        .map(
                                name ->
                                        selectClass(
                                                ConformanceMain.class.getPackageName()
                                                        + "."
                                                        + name))
                        .toArray(ClassSelector[]::new);
        final LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
        final SummaryGeneratingListener listener = new SummaryGeneratingListener();
        final Launcher launcher = LauncherFactory.create();
        launcher.execute(request, listener);
        final TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8), 12);
        Files.writeString(
                folder.resolve(RESULT),
                "passed="
                        + summary.getTestsSucceededCount()
                        + " failed="
                        + summary.getTotalFailureCount()
                        + " skipped="
                        + summary.getTestsSkippedCount());
    }

    /** What became of the tests, as rank 0 has written it. */
    static Path resultIn(final Path folder) {
        return folder.resolve(RESULT);
    }
}
