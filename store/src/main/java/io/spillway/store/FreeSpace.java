// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * How much may still be written to a directory: what its file system has, less a reserve; on tmpfs
 * also what the host has, for pages of tmpfs are memory. Several processes may look at a time and
 * then both write: the reserve is for that. Thread-safe.
 */
public final class FreeSpace {
    /** By how much a spill may outgrow what was asked for before the room is looked at again. */
    private static final long STEP = 8L << 20;

    private static final Set<String> MEMORY_TYPES = Set.of("tmpfs", "ramfs");

    private final Path directory;
    private final long reserve;
    private final LongSupplier memory;

    /** Null until the first look: Java reads the table of all mounts to find it. */
    private volatile FileStore store;

    /**
     * Creates a view on a directory, which need not exist yet.
     *
     * @param reserve the bytes to leave free
     */
    public FreeSpace(final Path directory, final long reserve) {
        this(directory, reserve, memoryOfThisHost());
    }

    /**
     * Creates a view on a directory of a host.
     *
     * @param memory the bytes that the host could still give out
     */
    public FreeSpace(final Path directory, final long reserve, final LongSupplier memory) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.reserve = reserve;
        this.memory = Objects.requireNonNull(memory, "memory");
    }

    /**
     * The bytes available without swapping: {@code MemAvailable} of {@code /proc/meminfo}, or what
     * this process's groups allow; {@link Long#MAX_VALUE} where the host does not say.
     */
    static LongSupplier memoryOfThisHost() {
        final CgroupMemory groups = CgroupMemory.ofThisProcess();
        return () -> Math.min(available(Path.of("/proc/meminfo")), groups.available());
    }

    private static long available(final Path file) {
        try {
            for (final String line : Files.readAllLines(file)) {
                if (line.startsWith("MemAvailable:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (final IOException e) {
            return Long.MAX_VALUE;
        }
        return Long.MAX_VALUE;
    }

    /** The bytes that may be written now; 0 or less when there is no room. */
    public long free() throws IOException {
        FileStore known = store;
        if (known == null) {
            known = Files.getFileStore(directory);
            store = known;
        }
        final long onFileSystem = known.getUsableSpace();
        final boolean inMemory = MEMORY_TYPES.contains(known.type());
        final long free = inMemory ? Math.min(onFileSystem, memory.getAsLong()) : onFileSystem;
        return free - reserve;
    }

    /**
     * Insists that a directory is in memory.
     *
     * @throws IOException that names the directory and the file system it is on
     */
    public static void requireMemory(final Path directory) throws IOException {
        final String type = Files.getFileStore(directory).type();
        if (!MEMORY_TYPES.contains(type)) {
            throw new IOException(directory + " is on " + type + ", expected tmpfs or ramfs");
        }
    }

    /**
     * Insists on room.
     *
     * @throws StoreFullException that names the directory, what it has and what was asked for
     */
    void require(final long bytes) throws IOException {
        final long free = free();
        if (bytes > free) {
            throw new StoreFullException(
                    "bytes="
                            + bytes
                            + ", expected to fit "
                            + directory
                            + " free="
                            + Math.max(0, free)
                            + " (reserve="
                            + reserve
                            + ")");
        }
    }

    /**
     * Grants a spill more room where it needs it.
     *
     * @param granted the length granted so far
     * @param length the length wanted
     * @return the length granted now, at least {@code length}
     */
    long grow(final long granted, final long length) throws IOException {
        if (length <= granted) {
            return granted;
        }
        final long more = Math.max(length - granted, STEP);
        require(more);
        return granted + more;
    }
}
