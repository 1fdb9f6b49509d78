// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.SpillStore;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Writes map outputs of 64 MiB, 1 GiB an invocation, each as a map task would. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 7, time = 3)
public class StoreBenchmark {
    /** How outputs are stored. */
    @Param({"fresh", "recycled", "recycled-mapped"})
    public String files;

    private OutputsInMemory outputs;
    private int attempt;

    /** Makes the folder. */
    @Setup(Level.Trial)
    public void create() throws IOException {
        outputs = new OutputsInMemory();
    }

    /** Deletes it. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        outputs.delete();
    }

    /** A job: its maps keep their outputs, all of which are given back when it ends. */
    @Benchmark
    @OperationsPerInvocation(1)
    public void oneGibibyte() throws IOException {
        final String application = "application_1_" + attempt;
        final SpillStore[] stores = new SpillStore[OutputsInMemory.OUTPUTS];
        for (int map = 0; map < stores.length; map++) {
            stores[map] = store(application, map);
            outputs.write(stores[map]);
        }
        for (final SpillStore store : stores) {
            store.close();
        }
        if (!"fresh".equals(files)) {
            outputs.reclaim(application);
        }
        attempt++;
    }

    private SpillStore store(final String application, final int map) throws IOException {
        return switch (files) {
            case "fresh" -> outputs.fresh();
            case "recycled" -> outputs.recycled(application, map);
            default -> outputs.recycledAndMapped(application, map);
        };
    }
}
