// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.node.prefetch.BlockPool;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSource;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Map outputs of a job in a local directory, and a source that serves them. */
final class TestOutputs implements AutoCloseable {
    static final String JOB = "job_1700000000000_0001";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Path localDir;
    private final Map<String, String> users = new ConcurrentHashMap<>(Map.of(JOB, "alice"));
    private final Map<Integer, byte[]> outputs = new ConcurrentHashMap<>();
    private final Map<Integer, int[]> lengths = new ConcurrentHashMap<>();
    private final LocalSegmentSource source;

    /** Serves what lies in {@code localDir}, and ahead what fits {@code memory}. */
    TestOutputs(final Path localDir, final BlockPool memory) {
        this(localDir, memory, Map.of());
    }

    TestOutputs(final Path localDir, final BlockPool memory, final Map<String, String> settings) {
        this.localDir = localDir;
        this.source =
                new LocalSegmentSource(
                        new ToyLayout(),
                        this::locate,
                        List.of(localDir.resolve("store")),
                        users::get,
                        settings::get,
                        memory);
    }

    private File locate(final String relativePath) throws FileNotFoundException {
        final Path path = localDir.resolve(relativePath);
        if (!Files.exists(path)) {
            throw new FileNotFoundException(relativePath);
        }
        return path.toFile();
    }

    LocalSegmentSource source() {
        return source;
    }

    /** Opens a segment that is on this host. */
    static ServedSegment open(
            final SegmentSource source, final String jobId, final SegmentId segment)
            throws FetchException {
        return (ServedSegment) source.open(jobId, segment);
    }

    static String attempt(final int map) {
        return ToyLayout.output(JOB, map);
    }

    Path directory(final int map) {
        return localDir.resolve(ToyLayout.folder("alice", JOB, attempt(map)));
    }

    Path data(final int map) {
        return directory(map).resolve(ToyLayout.DATA);
    }

    /** Writes the output of a map, one partition for each length. */
    void write(final int map, final int... segmentLengths) throws IOException {
        final byte[] bytes = new byte[Arrays.stream(segmentLengths).sum()];
        new Random(map).nextBytes(bytes);
        outputs.put(map, bytes);
        lengths.put(map, segmentLengths.clone());
        Files.createDirectories(directory(map));
        Files.write(data(map), bytes);
        final MapOutputIndex index = new MapOutputIndex(segmentLengths.length);
        for (int partition = 0; partition < segmentLengths.length; partition++) {
            final int length = segmentLengths[partition];
            index.put(partition, new IndexEntry(start(map, partition), length, length));
        }
        try (OutputStream out = Files.newOutputStream(directory(map).resolve(ToyLayout.INDEX))) {
            index.writeTo(out);
        }
    }

    private int start(final int map, final int partition) {
        return Arrays.stream(lengths.get(map), 0, partition).sum();
    }

    byte[] expected(final int map, final int partition, final int offset, final int length) {
        final int start = start(map, partition) + offset;
        return Arrays.copyOfRange(outputs.get(map), start, start + length);
    }

    /** A piece in memory, as a server gets it; null when it is not in memory. */
    CachedBytes cached(final int map, final int partition, final int offset, final int length)
            throws IOException {
        try (ServedSegment segment = open(source, JOB, new SegmentId(attempt(map), partition))) {
            return segment.cached(offset, length);
        }
    }

    /**
     * Fetches a piece as a server does, from memory or the file, and checks its bytes.
     *
     * @return whether it came from memory
     */
    boolean fetch(final int map, final int partition, final int offset, final int length)
            throws IOException {
        try (ServedSegment segment = open(source, JOB, new SegmentId(attempt(map), partition));
                CachedBytes cached = segment.cached(offset, length)) {
            final byte[] bytes = cached == null ? read(segment, offset, length) : bytes(cached);
            assertThat(bytes).isEqualTo(expected(map, partition, offset, length));
            if (cached != null) {
                cached.sent();
            }
            return cached != null;
        }
    }

    private static byte[] read(final ServedSegment segment, final int offset, final int length)
            throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(length);
        segment.read(offset, bytes);
        return bytes.array();
    }

    static byte[] bytes(final CachedBytes cached) {
        final List<ByteBuffer> buffers = cached.buffers();
        final byte[] bytes = new byte[buffers.stream().mapToInt(ByteBuffer::remaining).sum()];
        final ByteBuffer all = ByteBuffer.wrap(bytes);
        buffers.forEach(all::put);
        return bytes;
    }

    /** Waits until nothing is left to read ahead, or nothing can be. */
    void awaitIdle() {
        final long start = System.nanoTime();
        while (!source.prefetcher().isIdle()) {
            assertThat(System.nanoTime() - start).isLessThan(PATIENCE_NANOS);
            Thread.onSpinWait();
        }
    }

    PrefetchStats stats() {
        return source.prefetchStats();
    }

    /** The job ends, as the handler learns it. */
    void endJob() {
        users.remove(JOB);
        source.dropJob(JOB);
    }

    Map<String, String> users() {
        return users;
    }

    @Override
    public void close() {
        source.close();
    }
}
