// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.node.prefetch.BlockPool;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own that serves many map outputs and may open a few files only. It prints what
 * became of them.
 */
final class FewDescriptors {
    static final int MAPS = 40;

    /** What may be open beside that which is before any output is served. */
    private static final int SPARE = 8;

    private static final String JOB = TestOutputs.JOB;

    private FewDescriptors() {}

    /**
     * Runs.
     *
     * @param arguments a folder
     */
    public static void main(final String[] arguments) throws Exception {
        try (TestOutputs outputs =
                new TestOutputs(Path.of(arguments[0]), new BlockPool(1 << 20, 1 << 16))) {
            for (int map = 0; map < MAPS; map++) {
                outputs.write(map, 100);
            }
            prepare(outputs.source());
            limit();
            for (int map = 0; map < MAPS; map++) {
                print("map " + map, outputs.source(), map);
            }
            outputs.source().dropJob(JOB);
            final List<FileInputStream> taken = takeAll();
            print("none left", outputs.source(), 0);
            for (final FileInputStream one : taken) {
                one.close();
            }
            print("given back", outputs.source(), 0);
        }
    }

    /** Loads the classes that are needed: that takes descriptors, too. */
    private static void prepare(final LocalSegmentSource source) throws IOException {
        try (ServedSegment served = TestOutputs.open(source, JOB, segment(0))) {
            System.out.println("length=" + served.partLength());
        }
        try {
            TestOutputs.open(source, JOB, segment(MAPS)).close();
        } catch (final FetchException e) {
            System.out.println("absent: " + e.reason());
        }
        takeAll(SPARE);
    }

    private static void limit() throws IOException, InterruptedException {
        final String[] open = new File("/proc/self/fd").list();
        final long pid = ProcessHandle.current().pid();
        new ProcessBuilder(
                        "prlimit", "--pid", Long.toString(pid), "--nofile=" + (open.length + SPARE))
                .inheritIO()
                .start()
                .waitFor();
    }

    private static List<FileInputStream> takeAll() throws IOException {
        return takeAll(Integer.MAX_VALUE);
    }

    private static List<FileInputStream> takeAll(final int most) throws IOException {
        final List<FileInputStream> taken = new ArrayList<>();
        try {
            while (taken.size() < most) {
                taken.add(new FileInputStream("/dev/null"));
            }
        } catch (final IOException e) {
            System.out.println("taken: " + e.getMessage());
            return taken;
        }
        for (final FileInputStream one : taken) {
            one.close();
        }
        return taken;
    }

    private static void print(final String what, final LocalSegmentSource source, final int map)
            throws IOException {
        try (ServedSegment served = TestOutputs.open(source, JOB, segment(map))) {
            System.out.println(what + ": " + (served.partLength() > 0 ? "served" : "empty"));
        } catch (final FetchException e) {
            System.out.println(what + ": " + e.reason());
        }
    }

    private static SegmentId segment(final int map) {
        return new SegmentId(TestOutputs.attempt(map), 0);
    }
}
