// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import io.spillway.thread.Uninterrupted;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps spills in files: of tmpfs for the memory tier, of byte-addressable memory for the nvm tier,
 * of a shared file system for the lustre tier. Thread-safe.
 */
public final class FileSpillStore implements SpillStore {
    private static final Logger LOG = LoggerFactory.getLogger(FileSpillStore.class);

    private final String name;
    private final SpillFiles files;
    private final FileAccess.Opener access;

    private FileSpillStore(
            final String name, final SpillFiles files, final FileAccess.Opener access) {
        this.name = Objects.requireNonNull(name, "name");
        this.files = Objects.requireNonNull(files, "files");
        this.access = access;
    }

    /**
     * A store that reads and writes by system calls and never maps a file. So pages of tmpfs do not
     * count as memory of the task (YARN's physical-memory check adds up resident pages), and a file
     * that someone else cuts short is an {@link EOFException}. A warm page takes 5 GB/s that way on
     * the machine of the design's measurements: more than a sorted gather delivers.
     *
     * @param name the tier's name, such as {@code memory}
     * @param files closed with the store
     */
    public static FileSpillStore ofFiles(final String name, final SpillFiles files) {
        return new FileSpillStore(name, files, FileAccess.Calls::new);
    }

    /**
     * A store that maps its files, with sync on a DAX mount.
     *
     * @param sync whether the mount is DAX
     * @param emulation slows it down, for experiments
     */
    public static FileSpillStore ofMappedFiles(
            final String name,
            final SpillFiles files,
            final boolean sync,
            final EmulatedNvm emulation) {
        return new FileSpillStore(name, files, emulation.around(MappedAccess.opener(sync)));
    }

    /** Whether files can be mapped with sync: whether they lie on a DAX mount. */
    public static boolean canSync(final SpillFiles files) {
        try (SpillFile probe = files.open("probe", 0)) {
            return MappedAccess.canSync(probe.data());
        } catch (final IOException e) {
            LOG.debug("No file to map with sync", e);
            return false;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SpillSink create(final String spill, final long expectedBytes) throws IOException {
        return new Sink(spill, Uninterrupted.call(() -> files.open(spill, expectedBytes)));
    }

    @Override
    public void close() {
        files.close();
    }

    private final class Sink extends SpillSink {
        private final String spill;
        private final SpillFile file;
        private final FileAccess out;
        private long position;
        private long reserved;
        private boolean ended;

        Sink(final String spill, final SpillFile file) {
            super();
            this.spill = spill;
            this.file = file;
            this.out = access.open(file);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            requireOpen();
            Objects.checkFromIndexSize(offset, length, bytes.length);
            reserve(out.lengthFor(position + length));
            out.write(position, bytes, offset, length);
            position += length;
        }

        private void reserve(final long needed) throws IOException {
            if (needed > reserved) {
                Uninterrupted.call(
                        () -> {
                            file.reserve(needed);
                            return null;
                        });
                reserved = needed;
            }
        }

        private void requireOpen() throws IOException {
            if (ended) {
                throw new IOException("spill=" + spill + " has ended");
            }
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public InputStream readBack() {
            return new FileRange(access.open(file), spill, 0, position);
        }

        @Override
        public Spill commit() throws IOException {
            requireOpen();
            final long length = file.data().length();
            if (length < position) {
                throw new IOException(
                        "Spill "
                                + spill
                                + " in store "
                                + name
                                + ": length="
                                + length
                                + ", expected at least "
                                + position);
            }
            out.force();
            out.close();
            Uninterrupted.call(
                    () -> {
                        file.complete(position);
                        return null;
                    });
            ended = true;
            return new FileSpill(spill, file, position);
        }

        @Override
        public void abort() {
            if (!ended) {
                ended = true;
                out.close();
                file.close();
            }
        }
    }

    private final class FileSpill implements Spill {
        private final String spill;
        private final SpillFile file;
        private final long length;

        FileSpill(final String spill, final SpillFile file, final long length) {
            this.spill = spill;
            this.file = file;
            this.length = length;
        }

        @Override
        public String store() {
            return name;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public InputStream open(final long offset, final long count) throws IOException {
            Objects.checkFromIndexSize(offset, count, length);
            if (!file.data().getFD().valid()) {
                throw new IOException("Spill " + spill + " was deleted from store " + name);
            }
            return new FileRange(access.open(file), spill, offset, count);
        }

        @Override
        public Optional<Path> file() {
            return Optional.empty();
        }

        @Override
        public Optional<Path> holder() {
            return file.path();
        }

        @Override
        public void seal(final SpillFile.Tail tail) throws IOException {
            file.seal(length, tail);
        }

        @Override
        public void delete() {
            file.close();
        }
    }

    private static final class FileRange extends SpillInputStream {
        private final FileAccess in;
        private final String spill;

        FileRange(final FileAccess in, final String spill, final long offset, final long length) {
            super(offset, length);
            this.in = in;
            this.spill = spill;
        }

        @Override
        int read(
                final long at,
                final byte[] buffer,
                final int offset,
                final int length,
                final long rangeEnd)
                throws IOException {
            try {
                return in.read(at, buffer, offset, length, rangeEnd);
            } catch (final EOFException e) {
                throw new EOFException("Spill " + spill + ": " + e.getMessage());
            }
        }

        @Override
        public void close() {
            in.close();
        }
    }
}
