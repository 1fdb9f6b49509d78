// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.prefetch.BlockPool;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.transport.CachedBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever is asked for, in whatever order: the bytes are those of the file. */
final class PrefetcherPropertyTest {
    private static final int REQUESTS = 150;
    private static final int MAX_OPEN_PIECES = 3;

    @Property(tries = 60)
    void theBytesAreThoseOfTheFile(
            @ForAll @Size(min = 1, max = 12) final int[] rawLengths,
            @ForAll @IntRange(min = 1, max = 700) final int blockBytes,
            @ForAll @IntRange(min = 0, max = 40) final int blocks,
            @ForAll @IntRange(min = 1, max = 5) final int maps,
            @ForAll final long seed)
            throws IOException {
        final int[] lengths = new int[rawLengths.length];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = Math.floorMod(rawLengths[i], 2500);
        }
        final Path localDir = Files.createTempDirectory("prefetch");
        final BlockPool memory = new BlockPool((long) blocks * blockBytes, blockBytes);
        try (TestOutputs outputs = new TestOutputs(localDir, memory)) {
            for (int map = 0; map < maps; map++) {
                outputs.write(map, lengths);
            }
            check(outputs, memory, lengths, maps, new Random(seed));
        } finally {
            delete(localDir);
        }
    }

    private static void check(
            final TestOutputs outputs,
            final BlockPool memory,
            final int[] lengths,
            final int maps,
            final Random random)
            throws IOException {
        final long bound = (long) memory.capacity() * memory.blockBytes();
        final Deque<Piece> open = new ArrayDeque<>();
        for (int i = 0; i < REQUESTS; i++) {
            final int partition = random.nextInt(lengths.length);
            if (lengths[partition] == 0) {
                continue;
            }
            final int map = random.nextInt(maps);
            final int offset = random.nextInt(lengths[partition]);
            final int length = 1 + random.nextInt(lengths[partition] - offset);
            if (random.nextInt(4) == 0) {
                hold(outputs, open, new Range(map, partition, offset, length));
            } else {
                outputs.fetch(map, partition, offset, length);
            }
            if (random.nextInt(5) == 0) {
                outputs.awaitIdle();
            }
            assertThat(memory.allocatedBytes()).isLessThanOrEqualTo(bound);
            assertThat(outputs.stats().currentBytes()).isLessThanOrEqualTo(bound);
        }
        outputs.endJob();
        open.forEach(piece -> piece.end(outputs));
        outputs.awaitIdle();
        assertThat(memory.usedBytes()).isZero();
        assertThat(outputs.source().prefetcher().blockCount()).isZero();
        final PrefetchStats stats = outputs.stats();
        assertThat(stats.evictedUnreadBytes()).isBetween(0L, stats.readAheadBytes());
    }

    private static void hold(final TestOutputs outputs, final Deque<Piece> open, final Range range)
            throws IOException {
        final CachedBytes cached =
                outputs.cached(range.map, range.partition, range.offset, range.length);
        if (cached != null) {
            open.add(new Piece(cached, range));
        }
        if (open.size() > MAX_OPEN_PIECES) {
            open.remove().end(outputs);
        }
    }

    private record Range(int map, int partition, int offset, int length) {}

    private record Piece(CachedBytes cached, Range range) {
        void end(final TestOutputs outputs) {
            assertThat(TestOutputs.bytes(cached))
                    .isEqualTo(
                            outputs.expected(
                                    range.map, range.partition, range.offset, range.length));
            cached.close();
        }
    }

    private static void delete(final Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder())
                    .forEach(
                            path -> {
                                try {
                                    Files.delete(path);
                                } catch (final IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
        }
    }
}
