// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.SpillStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
 * Writes map outputs that stay, as those of a running job do: each GiB of fresh files takes pages
 * that no file has now, while recycled ones take those of the job before. {@link StoreBenchmark}
 * drops its fresh files at once, so that the kernel hands the same warm pages out again.
 *
 * <p>What a page costs that was not used since the machine was started is seen once a boot: in a
 * virtual machine the host has to find it first.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 1)
@Measurement(iterations = 10)
public class FirstTouchBenchmark {
    private final List<SpillStore> kept = new ArrayList<>();

    /** How outputs are stored. */
    @Param({"fresh", "recycled"})
    public String files;

    private OutputsInMemory outputs;
    private int job;

    /** Makes the folder. */
    @Setup(Level.Trial)
    public void create() throws IOException {
        outputs = new OutputsInMemory();
    }

    /** Deletes it. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        for (final SpillStore store : kept) {
            store.close();
        }
        outputs.delete();
    }

    /** 1 GiB of map outputs. */
    @Benchmark
    public void oneGibibyte() throws IOException {
        final String application = "application_1_" + job++;
        final boolean fresh = "fresh".equals(files);
        final List<SpillStore> stores = new ArrayList<>();
        for (int map = 0; map < OutputsInMemory.OUTPUTS; map++) {
            final SpillStore store = fresh ? outputs.fresh() : outputs.recycled(application, map);
            stores.add(store);
            outputs.write(store);
        }
        if (fresh) {
            kept.addAll(stores);
            return;
        }
        for (final SpillStore store : stores) {
            store.close();
        }
        outputs.reclaim(application);
    }
}
