// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.store.HeapSpillStore;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.io.InputStream;

/** A memory store that fails where told to. */
final class FaultyStore implements SpillStore {
    private final String name;
    private final HeapSpillStore memory;
    private final long failAt;
    private final boolean failCreate;
    private final boolean failCommit;
    private final boolean failReadBack;
    int aborted;
    int created;

    private FaultyStore(
            final String name,
            final long failAt,
            final boolean failCreate,
            final boolean failCommit,
            final boolean failReadBack) {
        this.name = name;
        this.memory = new HeapSpillStore(name, Long.MAX_VALUE);
        this.failAt = failAt;
        this.failCreate = failCreate;
        this.failCommit = failCommit;
        this.failReadBack = failReadBack;
    }

    static FaultyStore sound(final String name) {
        return new FaultyStore(name, Long.MAX_VALUE, false, false, false);
    }

    static FaultyStore failingOnCreate(final String name) {
        return new FaultyStore(name, Long.MAX_VALUE, true, false, false);
    }

    /** Fails the write that goes beyond {@code position}. */
    static FaultyStore failingAt(final String name, final long position) {
        return new FaultyStore(name, position, false, false, false);
    }

    static FaultyStore failingOnCommit(final String name) {
        return new FaultyStore(name, Long.MAX_VALUE, false, true, false);
    }

    /** Fails as failingAt, and then cannot be read either. */
    static FaultyStore lostAt(final String name, final long position) {
        return new FaultyStore(name, position, false, false, true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SpillSink create(final String spill, final long expectedBytes) throws IOException {
        if (failCreate) {
            throw new IOException("no create on " + name);
        }
        created++;
        return new Sink(memory.create(spill, 0));
    }

    @Override
    public void close() {
        memory.close();
    }

    private final class Sink extends SpillSink {
        private final SpillSink sink;

        Sink(final SpillSink sink) {
            super();
            this.sink = sink;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            if (sink.position() + length > failAt) {
                throw new IOException("no space left on " + name);
            }
            sink.write(bytes, offset, length);
        }

        @Override
        public long position() {
            return sink.position();
        }

        @Override
        public InputStream readBack() throws IOException {
            if (failReadBack) {
                throw new IOException("no read on " + name);
            }
            return sink.readBack();
        }

        @Override
        public Spill commit() throws IOException {
            if (failCommit) {
                throw new IOException("no commit on " + name);
            }
            return sink.commit();
        }

        @Override
        public void abort() {
            aborted++;
            sink.abort();
        }
    }
}
