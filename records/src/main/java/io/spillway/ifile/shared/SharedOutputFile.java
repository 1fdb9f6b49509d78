// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An open map output on a shared file system. Thread-safe: reads need no lock, and each names its
 * position. As with every channel, an interrupt of a thread that reads closes the file for all.
 */
public final class SharedOutputFile implements Closeable {
    /** What is read at once to find the tail: all of it, of some thousand partitions. */
    static final int FIRST_READ = 64 << 10;

    private final Path path;
    private final FileChannel channel;

    private SharedOutputFile(final Path path, final FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Opens a file; looks at nothing in it. Does not follow a link, and does not check whose file
     * it is: that is told by its folders ({@link SharedOutputs#requireOwn}).
     *
     * @throws java.nio.file.NoSuchFileException where there is none
     */
    public static SharedOutputFile open(final Path path) throws IOException {
        final FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        return new SharedOutputFile(path, channel);
    }

    /**
     * Reads the tail, in one read where it is no longer than {@value #FIRST_READ} bytes, else in
     * two, and checks all of it. The segments are not read: their blocks have checksums in the
     * tail.
     *
     * @param output the id of the output that the file must hold
     * @throws UnfinishedOutputException where no valid trailer ends the file
     * @throws IOException where the tail is damaged, is another output's, or cannot be read
     */
    public SharedOutputTail readTail(final String output) throws IOException {
        final String name = path.toString();
        final long length = channel.size();
        ByteBuffer tail = readEnd(length, Math.min(length, FIRST_READ));
        final SharedOutputTrailer trailer = SharedOutputTrailer.readFrom(tail, name, length);
        if (trailer.tailLength() > tail.limit()) {
            tail = readEnd(length, trailer.tailLength());
        }
        tail.position(tail.limit() - (int) trailer.tailLength());
        return SharedOutputTail.readFrom(tail, trailer, name, output);
    }

    private ByteBuffer readEnd(final long fileLength, final long count) throws IOException {
        final ByteBuffer end = ByteBuffer.allocate((int) count);
        readFully(end, fileLength - count);
        return end.flip();
    }

    /**
     * Fills what remains of a buffer from a position of the file on.
     *
     * @throws EOFException where the file is shorter
     */
    public void readFully(final ByteBuffer into, final long position) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            final int count = channel.read(into, at);
            if (count < 0) {
                throw new EOFException(
                        path + ": length=" + at + ", expected " + (at + into.remaining()));
            }
            at += count;
        }
    }

    /** The path that it was opened by. */
    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
