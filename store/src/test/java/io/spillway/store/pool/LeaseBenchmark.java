// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.FileSpillStore;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to lease, complete and close one file of the memory tier, with the outputs of other maps
 * on its node: the first time in a JVM, which is what a map pays, and in a warm JVM.
 */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LeaseBenchmark {
    private static final int EXPECTED = 100 << 10;

    /** Map outputs that jobs on the node have. */
    @Param({"0", "400", "4000"})
    public int outputs;

    /** Files without an owner, as after a job. */
    @Param({"0", "400"})
    public int pooled;

    private final byte[] content = new byte[1 << 10];
    private OutputsInMemory folder;

    /** Fills the folder. */
    @Setup(Level.Trial)
    public void create() throws IOException {
        folder = new OutputsInMemory();
        for (int file = 0; file < pooled; file++) {
            pool(file);
        }
        for (int map = 0; map < outputs; map++) {
            output(map);
        }
        folder.look();
    }

    /** Deletes it. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        folder.delete();
    }

    /** Makes the file by other code than the measured, which has to stay cold. */
    private void pool(final int file) throws IOException {
        final Path pool = folder.applications().resolveSibling(FilePool.POOL);
        Files.write(pool.resolve(file + "+" + EXPECTED), new byte[EXPECTED]);
    }

    /** Makes the three files that a map leaves: its output, its lock and its mark. */
    private void output(final int map) throws IOException {
        final Path other =
                Files.createDirectories(
                        folder.applications().resolve("application_1_2/map_" + map));
        Files.createFile(other.resolve("lock"));
        Files.createFile(other.resolve("committed"));
        Files.write(other.resolve(LeasedName.complete("file.out")), content);
    }

    private void write(final SpillStore store) throws IOException {
        try (SpillSink sink = store.create("file.out", EXPECTED)) {
            sink.write(content, 0, content.length);
            sink.commit();
        }
    }

    /** The first output of a JVM. */
    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @Fork(7)
    @Warmup(iterations = 0)
    @Measurement(iterations = 1)
    public void cold() throws IOException {
        final FileLease lease = folder.lease("application_1_3", "attempt");
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
            write(store);
            lease.commit();
        }
    }

    /** One of many, each given back at once. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Fork(1)
    @Warmup(iterations = 3, time = 1)
    @Measurement(iterations = 5, time = 1)
    public void warm() throws IOException {
        final FileLease lease = folder.lease("application_1_3", "attempt");
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
            write(store);
        }
    }
}
