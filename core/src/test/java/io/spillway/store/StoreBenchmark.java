package io.spillway.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    private static final int OUTPUTS = 16;
    private static final int OUTPUT_BYTES = 64 << 20;
    private static final int PIECE = 128 << 10;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final byte[] piece = new byte[PIECE];

    /** How outputs are stored. */
    @Param({"fresh", "recycled", "recycled-mapped"})
    public String files;

    private Path directory;
    private RecycledFolder folder;
    private int attempt;

    /** Makes the folder. */
    @Setup(Level.Trial)
    public void create() throws IOException {
        directory = Files.createTempDirectory(SHARED_MEMORY, "spillway-benchmark-");
        folder = RecycledFolder.create(directory.resolve("user").resolve("node"), 2L << 30);
    }

    /** Deletes it. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            final List<Path> paths = all.sorted(Comparator.reverseOrder()).toList();
            for (final Path path : paths) {
                Files.delete(path);
            }
        }
    }

    /** A job: its maps keep their outputs, all of which are given back when it ends. */
    @Benchmark
    @OperationsPerInvocation(1)
    public void oneGibibyte() throws IOException {
        final String application = "application_1_" + attempt;
        final SpillStore[] stores = new SpillStore[OUTPUTS];
        for (int map = 0; map < OUTPUTS; map++) {
            stores[map] = store(application, map);
            write(stores[map]);
        }
        for (final SpillStore store : stores) {
            store.close();
        }
        if (!"fresh".equals(files)) {
            folder.reclaim(application);
        }
        attempt++;
    }

    private SpillStore store(final String application, final int map) throws IOException {
        final Room room = new Room(directory, 0);
        if ("fresh".equals(files)) {
            return FileSpillStore.ofFiles("memory", new UnnamedFiles(directory, room));
        }
        final LeasedFiles lease = folder.lease(application, "attempt_" + map, room);
        return "recycled".equals(files)
                ? FileSpillStore.ofFiles("memory", lease)
                : FileSpillStore.ofMappedFiles("nvm", lease, false, EmulatedNvm.OFF);
    }

    private void write(final SpillStore store) throws IOException {
        try (SpillSink sink = store.create("output", OUTPUT_BYTES)) {
            for (int at = 0; at < OUTPUT_BYTES; at += PIECE) {
                sink.write(piece, 0, PIECE);
            }
            sink.commit();
        }
    }
}
