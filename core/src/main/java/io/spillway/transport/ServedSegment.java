package io.spillway.transport;

import java.nio.channels.FileChannel;

/**
 * One segment, open for serving. It holds a reference on the open file: whoever got it from {@link
 * SegmentSource#open} must {@link #close} it once, after the last byte went out.
 */
public interface ServedSegment extends AutoCloseable {
    /** Length in the file, checksum included. */
    long partLength();

    /** Length uncompressed, end marker included. */
    long rawLength();

    /** Of how many runs the segment is. */
    default int runs() {
        return 1;
    }

    /** The open map output file; reads are positional, so that it can be shared. */
    FileChannel file();

    /** Where the segment starts in the file. */
    long fileOffset();

    @Override
    void close();
}
