// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link SpillStore} does; a store's test extends this and gives one. */
public abstract class SpillStoreConformance {
    private static final int LARGE = 3_000_000;

    private SpillStore store;

    /** A fresh, empty store with room for at least 16 MiB. */
    protected abstract SpillStore newStore() throws IOException;

    @BeforeEach
    final void openStore() throws IOException {
        store = newStore();
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }

    private static byte[] bytes(final int seed, final int length) {
        final byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void write(final SpillSink sink, final byte[] bytes) throws IOException {
        final Random random = new Random(bytes.length);
        int at = 0;
        while (at < bytes.length) {
            final int piece = Math.min(bytes.length - at, 1 + random.nextInt(200_000));
            sink.write(bytes, at, piece);
            at += piece;
            assertThat(sink.position()).isEqualTo(at);
        }
    }

    private Spill spill(final String name, final byte[] bytes) throws IOException {
        try (SpillSink sink = store.create(name, bytes.length)) {
            write(sink, bytes);
            return sink.commit();
        }
    }

    private static byte[] read(final Spill spill, final long offset, final long length)
            throws IOException {
        try (InputStream in = spill.open(offset, length)) {
            return in.readAllBytes();
        }
    }

    @Test
    final void hasAName() {
        assertThat(store.name()).isNotBlank();
    }

    @Test
    final void givesBackWhatItTook() throws IOException {
        for (final int length : new int[] {0, 1, 1000, LARGE}) {
            final byte[] bytes = bytes(length, length);
            final Spill spill = spill("spill" + length, bytes);
            assertThat(spill.length()).isEqualTo(length);
            assertThat(spill.store()).isNotBlank();
            assertThat(read(spill, 0, length)).isEqualTo(bytes);
        }
    }

    /**
     * A job's code may leave its thread interrupted, which closes any channel that it then uses.
     */
    @Test
    final void servesAThreadThatIsInterrupted() throws IOException {
        final byte[] bytes = bytes(7, LARGE);
        Thread.currentThread().interrupt();
        try {
            final Spill spill = spill("interrupted", bytes);
            assertThat(read(spill, 0, LARGE)).isEqualTo(bytes);
            assertThat(read(spill, 1000, 1000)).isEqualTo(Arrays.copyOfRange(bytes, 1000, 2000));
            spill.delete();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    final void takesSingleBytesAndRangesOfArrays() throws IOException {
        final byte[] bytes = bytes(1, 100);
        final Spill spill;
        try (SpillSink sink = store.create("single", 0)) {
            sink.write(bytes[0]);
            sink.write(bytes, 1, 0);
            sink.write(bytes, 1, 99);
            spill = sink.commit();
        }
        assertThat(read(spill, 0, 100)).isEqualTo(bytes);
    }

    @Test
    final void opensRanges() throws IOException {
        final byte[] bytes = bytes(2, LARGE);
        final Spill spill = spill("ranges", bytes);
        final Random random = new Random(3);
        for (int i = 0; i < 50; i++) {
            final int from = random.nextInt(LARGE + 1);
            final int to = from + random.nextInt(LARGE - from + 1);
            assertThat(read(spill, from, to - from)).isEqualTo(Arrays.copyOfRange(bytes, from, to));
        }
        assertThat(read(spill, LARGE, 0)).isEmpty();
        for (final long[] range : new long[][] {{0, LARGE + 1}, {-1, 5}, {LARGE + 1, 0}, {5, -1}}) {
            assertThatThrownBy(() -> read(spill, range[0], range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    final void readsSeveralStreamsAtATime() throws IOException {
        final byte[] bytes = bytes(4, 100_000);
        final Spill spill = spill("several", bytes);
        try (InputStream one = spill.open(0, 50_000);
                InputStream two = spill.open(50_000, 50_000)) {
            for (int i = 0; i < 50_000; i++) {
                assertThat((byte) one.read()).isEqualTo(bytes[i]);
                assertThat((byte) two.read()).isEqualTo(bytes[50_000 + i]);
                if (i == 100) {
                    i = 49_900;
                    one.skipNBytes(49_800);
                    two.skipNBytes(49_800);
                }
            }
            assertThat(one.read()).isNegative();
            assertThat(two.read(new byte[5], 0, 5)).isNegative();
        }
    }

    @Test
    final void keepsManySpillsApart() throws IOException {
        final List<Spill> spills = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            spills.add(spill("many" + i, bytes(i, 10_000 * i)));
        }
        spills.get(7).delete();
        for (int i = 0; i < 20; i++) {
            if (i != 7) {
                assertThat(read(spills.get(i), 0, 10_000L * i)).isEqualTo(bytes(i, 10_000 * i));
            }
        }
    }

    @Test
    final void takesInterleavedSpills() throws IOException {
        final byte[] a = bytes(5, 500_000);
        final byte[] b = bytes(6, 500_000);
        try (SpillSink first = store.create("first", 0);
                SpillSink second = store.create("second", 0)) {
            for (int at = 0; at < a.length; at += 50_000) {
                first.write(a, at, 50_000);
                second.write(b, at, 50_000);
            }
            final Spill spillB = second.commit();
            final Spill spillA = first.commit();
            assertThat(read(spillA, 0, a.length)).isEqualTo(a);
            assertThat(read(spillB, 0, b.length)).isEqualTo(b);
        }
    }

    @Test
    final void readsBackBeforeTheEndAndGoesOn() throws IOException {
        final byte[] bytes = bytes(7, 1_000_000);
        final Spill spill;
        try (SpillSink sink = store.create("back", bytes.length)) {
            sink.write(bytes, 0, 300_000);
            try (InputStream in = sink.readBack()) {
                assertThat(in.readNBytes(300_001)).isEqualTo(Arrays.copyOf(bytes, 300_000));
            }
            sink.write(bytes, 300_000, 700_000);
            spill = sink.commit();
        }
        assertThat(read(spill, 0, bytes.length)).isEqualTo(bytes);
    }

    @Test
    final void abortsAndTakesTheNameAgain() throws IOException {
        final SpillSink aborted = store.create("again", 1000);
        aborted.write(bytes(8, 400_000), 0, 400_000);
        aborted.abort();
        aborted.abort();
        assertThatThrownBy(() -> aborted.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(aborted::commit).isInstanceOf(IOException.class);
        final byte[] bytes = bytes(9, 1000);
        assertThat(read(spill("again", bytes), 0, 1000)).isEqualTo(bytes);
    }

    @Test
    final void doesNotAbortACommittedSpill() throws IOException {
        final byte[] bytes = bytes(10, 1000);
        final SpillSink sink = store.create("committed", 1000);
        sink.write(bytes, 0, 1000);
        final Spill spill = sink.commit();
        assertThatThrownBy(() -> sink.write(bytes, 0, 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(sink::commit).isInstanceOf(IOException.class);
        sink.abort();
        sink.close();
        assertThat(read(spill, 0, 1000)).isEqualTo(bytes);
    }

    @Test
    final void deletes() throws IOException {
        final Spill spill = spill("deleted", bytes(11, 1000));
        spill.delete();
        spill.delete();
        assertThatThrownBy(() -> read(spill, 0, 10)).isInstanceOf(IOException.class);
        spill.file().ifPresent(file -> assertThat(file).doesNotExist());
        final byte[] bytes = bytes(12, 500);
        assertThat(read(spill("deleted", bytes), 0, 500)).isEqualTo(bytes);
    }

    @Test
    final void namesAFileOnlyWhenItIsTheSpill() throws IOException {
        final byte[] bytes = bytes(13, 12_345);
        final Spill spill = spill("file", bytes);
        if (spill.file().isPresent()) {
            assertThat(Files.readAllBytes(spill.file().get())).isEqualTo(bytes);
        }
    }

    @Test
    final void closesTwice() throws IOException {
        spill("left behind", bytes(14, 1000));
        store.close();
        store.close();
    }
}
