package io.spillway.node;

import io.spillway.ifile.IndexEntry;
import io.spillway.transport.ServedSegment;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** A segment in a local file; holds one reference on it. */
final class LocalSegment implements ServedSegment {
    private final OpenFile file;
    private final IndexEntry entry;
    private final int runs;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over a reference on {@code file}. */
    LocalSegment(final OpenFile file, final IndexEntry entry, final int runs) {
        this.file = file;
        this.entry = entry;
        this.runs = runs;
    }

    @Override
    public long partLength() {
        return entry.partLength();
    }

    @Override
    public long rawLength() {
        return entry.rawLength();
    }

    @Override
    public int runs() {
        return runs;
    }

    @Override
    public FileChannel file() {
        return file.channel();
    }

    @Override
    public long fileOffset() {
        return entry.startOffset();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            file.release();
        }
    }
}
