// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class HeapSpillStoreTest extends SpillStoreConformance {
    private static final int CHUNK = 256 << 10;

    @Override
    protected SpillStore newStore() {
        return new HeapSpillStore(16 << 20);
    }

    @Test
    void isFullOnCreateWhenTheExpectedBytesDoNotFit() throws IOException {
        try (HeapSpillStore store = new HeapSpillStore(1 << 20)) {
            assertThatThrownBy(() -> store.create("large", (1 << 20) + 1))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("large")
                    .hasMessageContaining("store=memory")
                    .hasMessageContaining("limit=1048576");
            store.create("fits", 1 << 20).abort();
        }
    }

    @Test
    void isFullInTheMiddleAndKeepsWhatItTook() throws IOException {
        try (HeapSpillStore store = new HeapSpillStore(4 * CHUNK);
                SpillSink sink = store.create("middle", 0)) {
            final byte[] piece = new byte[CHUNK - 10];
            piece[7] = 7;
            for (int i = 0; i < 4; i++) {
                sink.write(piece, 0, piece.length);
            }
            assertThatThrownBy(() -> sink.write(piece, 0, piece.length))
                    .isInstanceOf(StoreFullException.class);
            assertThat(sink.position()).isEqualTo(4L * piece.length);
            try (InputStream in = sink.readBack()) {
                assertThat(in.readAllBytes()).hasSize(4 * piece.length).startsWith(piece);
            }
            sink.write(piece, 0, 40);
            assertThat(sink.position()).isEqualTo(4L * CHUNK);
            sink.abort();
            assertThat(store.usedBytes()).isZero();
        }
    }

    @Test
    void freesRoom() throws IOException {
        try (HeapSpillStore store = new HeapSpillStore(4 * CHUNK)) {
            for (int i = 0; i < 10; i++) {
                final Spill spill;
                try (SpillSink sink = store.create("spill", 4 * CHUNK)) {
                    sink.write(new byte[4 * CHUNK], 0, 4 * CHUNK);
                    spill = sink.commit();
                }
                assertThat(store.usedBytes()).isEqualTo(4L * CHUNK);
                spill.delete();
                assertThat(store.usedBytes()).isZero();
            }
        }
    }

    @Test
    void takesNothingWithoutRoomOrAfterItsEnd() throws IOException {
        try (HeapSpillStore store = new HeapSpillStore(0);
                SpillSink sink = store.create("none", 0)) {
            assertThatThrownBy(() -> sink.write(1)).isInstanceOf(StoreFullException.class);
        }
        final HeapSpillStore closed = new HeapSpillStore(CHUNK);
        closed.close();
        assertThatThrownBy(() -> closed.create("late", 0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new HeapSpillStore(-1)).hasMessageContaining("limitBytes=-1");
    }
}
