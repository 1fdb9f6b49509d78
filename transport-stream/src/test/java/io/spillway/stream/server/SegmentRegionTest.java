// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.SegmentFile;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose failure it is: the file's, of which its source hears, or the client's. */
final class SegmentRegionTest {
    private static final int LENGTH = 100;

    @TempDir private Path folder;

    private final List<IOException> failures = new ArrayList<>();

    @Test
    void theSourceHearsOfAReadThatFails() throws IOException {
        final FileChannel file = file();
        final SegmentRegion region = region(file);
        file.close();

        assertThatThrownBy(() -> region.read(ByteBuffer.allocate(LENGTH), 0))
                .isInstanceOf(IOException.class);
        assertThat(failures).hasSize(1);
    }

    @Test
    void theSourceHearsOfASendfileThatFailsToRead() throws IOException {
        final FileChannel file = file();
        final SegmentRegion region = region(file);
        file.close();

        assertThatThrownBy(() -> region.transferTo(new Client(), 0))
                .isInstanceOf(IOException.class);
        assertThat(failures).hasSize(1);
    }

    @Test
    void theSourceHearsNothingOfAClientThatIsGone() throws IOException {
        try (FileChannel file = file()) {
            final SegmentRegion region = region(file);

            assertThatThrownBy(() -> region.transferTo(new Client(), 0))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the client is gone");
            assertThat(failures).isEmpty();
        }
    }

    private FileChannel file() throws IOException {
        return FileChannel.open(Files.write(folder.resolve("output"), new byte[LENGTH]));
    }

    private SegmentRegion region(final FileChannel file) {
        return new SegmentRegion(new Served(), new SegmentFile(file, 0), 0, LENGTH, () -> {});
    }

    /** A client whose connection ends. */
    private static final class Client implements WritableByteChannel {
        @Override
        public int write(final ByteBuffer source) throws IOException {
            throw new IOException("the client is gone");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** Keeps what it hears. */
    private final class Served implements ServedSegment {
        @Override
        public long partLength() {
            return LENGTH;
        }

        @Override
        public long rawLength() {
            return LENGTH;
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) {
            throw new AssertionError("a region reads the file, not the segment");
        }

        @Override
        public void fileFailed(final IOException cause) {
            failures.add(cause);
        }

        @Override
        public void close() {}
    }
}
