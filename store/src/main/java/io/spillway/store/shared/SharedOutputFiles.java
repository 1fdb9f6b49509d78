// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.store.SpillFile;
import io.spillway.store.SpillFiles;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one file of a map output in a directory of a shared file system. It is created under the name
 * that readers compute, and is never renamed: its last bytes say that it is finished. In folders
 * that are there, a file costs three metadata operations: a look at its folder, its creation, and
 * its permissions. Thread-safe.
 */
public final class SharedOutputFiles implements SpillFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SharedOutputFiles.class);

    /** What a shuffle handler of the folder's group needs, as stock's own outputs. */
    private static final Set<PosixFilePermission> PERMISSIONS =
            PosixFilePermissions.fromString("rw-r-----");

    private final SharedOutputs outputs;
    private final SharedOutput output;
    private final LustreStripes stripes;

    /**
     * Creates a source of one file; touches nothing yet.
     *
     * @param outputs where outputs lie
     * @param output whose file it is
     * @param stripes of a job's folder
     */
    public SharedOutputFiles(
            final SharedOutputs outputs, final SharedOutput output, final LustreStripes stripes) {
        this.outputs = Objects.requireNonNull(outputs, "outputs");
        this.output = Objects.requireNonNull(output, "output");
        this.stripes = Objects.requireNonNull(stripes, "stripes");
    }

    @Override
    public SpillFile open(final String name, final long expectedBytes) throws IOException {
        requireRoom(expectedBytes);
        final Path folder = outputs.host(output.job(), output.host());
        try {
            SharedOutputs.requireOwn(folder);
        } catch (final NoSuchFileException e) {
            LOG.debug("{} is made", folder, e);
            new SharedFolders(outputs).make(output.job(), output.host(), stripes);
        }
        final Path file = outputs.output(output.job(), output.host(), output.output());
        final RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw");
        try {
            requireNew(file, data);
            Files.setPosixFilePermissions(file, PERMISSIONS);
            return new Output(file, data);
        } catch (final IOException e) {
            data.close();
            throw e;
        }
    }

    /** One question; a directory that is not there has no room. */
    private void requireRoom(final long bytes) throws IOException {
        final long free = outputs.directory().toFile().getUsableSpace();
        if (bytes <= free) {
            return;
        }
        if (!Files.isDirectory(outputs.directory())) {
            throw new IOException(outputs.directory() + " is not a directory");
        }
        throw new StoreFullException(
                "bytes=" + bytes + ", expected to fit " + outputs.directory() + " free=" + free);
    }

    /** Readers may have what is there already. */
    private static void requireNew(final Path file, final RandomAccessFile data)
            throws IOException {
        if (data.length() > 0) {
            throw new IOException(
                    file + ": length=" + data.length() + ", expected no such file before");
        }
    }

    /** Files are closed by those who have opened them. */
    @Override
    public void close() {}

    /** Deleted when it is closed, unless it is sealed. */
    private static final class Output implements SpillFile {
        private final Path file;
        private final RandomAccessFile data;
        private final AtomicBoolean closed = new AtomicBoolean();

        Output(final Path file, final RandomAccessFile data) {
            this.file = file;
            this.data = data;
        }

        @Override
        public RandomAccessFile data() {
            return data;
        }

        /** The file system refuses what it has no room for. */
        @Override
        public void reserve(final long length) {}

        /**
         * Waits until the file system has the bytes: what it refuses can still go to another tier,
         * and what it takes survives the host.
         */
        @Override
        public void complete(final long length) throws IOException {
            data.getFD().sync();
        }

        @Override
        public void seal(final long length, final Tail tail) throws IOException {
            data.seek(length);
            data.write(tail.encoded());
            data.getFD().sync();
            data.close();
            closed.set(true);
        }

        @Override
        public Optional<Path> path() {
            return Optional.of(file);
        }

        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            try {
                data.close();
            } catch (final IOException e) {
                LOG.debug("Closing {} failed", file, e);
            }
            try {
                Files.deleteIfExists(file);
            } catch (final IOException e) {
                LOG.warn("{} stays until its job ends: {}", file, e.toString());
            }
        }
    }
}
