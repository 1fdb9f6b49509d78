package io.spillway.hadoop.reduce;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a segment that was put on local disk back through one chunk, and verifies it again. Task
 * thread. The file is opened at the first read and deleted at the end.
 */
final class FileSource implements ChunkSource {
    private static final Logger LOG = LoggerFactory.getLogger(FileSource.class);

    private final Path path;
    private final long partLength;
    private final boolean withChecksum;
    private final Chunk buffer;
    private final WrittenPieces pieces;
    private final SegmentChecksum checksum;
    private FileChannel file;

    /**
     * Creates a source.
     *
     * @param partLength the segment's length, which is the file's
     * @param withChecksum whether the chunks hold the checksum, too
     * @param buffer what the segment is read through
     * @param pieces what was written, in pieces of the buffer's capacity
     */
    FileSource(
            final Path path,
            final long partLength,
            final boolean withChecksum,
            final Chunk buffer,
            final WrittenPieces pieces) {
        this.path = path;
        this.partLength = partLength;
        this.withChecksum = withChecksum;
        this.buffer = buffer;
        this.pieces = pieces;
        this.checksum = new SegmentChecksum(partLength);
    }

    @Override
    public long totalBytes() {
        return withChecksum ? partLength : partLength - SegmentChecksum.LENGTH;
    }

    @Override
    public Chunk next() throws IOException {
        while (checksum.seen() < partLength) {
            final int count = (int) Math.min(buffer.capacity(), partLength - checksum.seen());
            readFully(buffer.destination(count));
            verify(count);
            final int content = checksum.update(buffer.bytes(), buffer.offset(), count);
            verifyAtEnd();
            if (withChecksum || content > 0) {
                buffer.length(withChecksum ? count : content);
                return buffer;
            }
        }
        return null;
    }

    private void readFully(final ByteBuffer destination) throws IOException {
        if (file == null) {
            file = FileChannel.open(path, StandardOpenOption.READ);
        }
        while (destination.hasRemaining()) {
            if (file.read(destination) < 0) {
                throw new EOFException(
                        "file=" + path + " size=" + file.size() + ", expected " + partLength);
            }
        }
    }

    private void verify(final int count) throws IOException {
        try {
            pieces.verify(checksum.seen(), buffer.bytes(), buffer.offset(), count);
        } catch (final IOException e) {
            throw new IOException(
                    "Checksum error in map output on local disk: file=" + path + ": " + e, e);
        }
    }

    private void verifyAtEnd() throws IOException {
        if (checksum.seen() == partLength && !checksum.matches()) {
            throw new IOException("Checksum error in map output on local disk: file=" + path);
        }
    }

    @Override
    public void release(final Chunk chunk) {
        // The one chunk is read into again.
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
            Files.deleteIfExists(path);
        } catch (final IOException | UncheckedIOException e) {
            LOG.warn("Cannot delete {}", path, e);
        }
    }
}
