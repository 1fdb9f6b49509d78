// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.io.InputStream;

/** Turns a bit of the first byte of each write, as broken memory does. */
record DamagingStore(SpillStore store) implements SpillStore {
    @Override
    public String name() {
        return store.name();
    }

    @Override
    public SpillSink create(final String name, final long expectedBytes) throws IOException {
        final SpillSink sink = store.create(name, expectedBytes);
        return new SpillSink() {
            @Override
            public void write(final byte[] bytes, final int offset, final int count)
                    throws IOException {
                if (count > 0) {
                    sink.write(bytes[offset] ^ 1);
                    sink.write(bytes, offset + 1, count - 1);
                }
            }

            @Override
            public long position() {
                return sink.position();
            }

            @Override
            public InputStream readBack() throws IOException {
                return sink.readBack();
            }

            @Override
            public Spill commit() throws IOException {
                return sink.commit();
            }

            @Override
            public void abort() {
                sink.abort();
            }
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
