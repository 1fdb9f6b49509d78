// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An upper bound, in bytes, of what the files of a {@link FilePool} take. With it a task that asks
 * for room does not read the attributes of every file on its node. A task adds the bytes of a file
 * before it makes the file; a process that deletes a file without the folder's lock does not
 * subtract its bytes. {@link #count} replaces the bound by the exact sum: where the bound leaves no
 * room, and each time the owner looks for dead tasks.
 *
 * <p>The account is the text of the folder's lock file, {@code BYTES GRANTED CHECKSUM}. Only the
 * holder of the lock reads and writes it. A text with a wrong checksum, as a killed process may
 * leave, is ignored. Not thread-safe; valid while the lock is held.
 */
final class FolderAccount {
    private static final Logger LOG = LoggerFactory.getLogger(FolderAccount.class);

    private static final int PARTS = 3;
    private static final int HEX = 16;

    private final PathLock lock;
    private final Path root;

    /** False where the lock file has no valid text; then {@link #bytes} means nothing. */
    private boolean isKnown;

    private long bytes;
    private long granted;

    /** The result of the last count; null when the account has changed since. */
    private FolderUsage counted;

    private FolderAccount(final PathLock lock, final Path root) {
        this.lock = lock;
        this.root = root;
    }

    /** Reads the account of a folder. */
    static FolderAccount of(final PathLock lock, final Path root) throws IOException {
        final FolderAccount account = new FolderAccount(lock, root);
        account.read();
        return account;
    }

    private void read() throws IOException {
        final String[] parts = lock.read().split(" ", PARTS);
        if (parts.length != PARTS) {
            return;
        }
        try {
            bytes = Long.parseLong(parts[0]);
            granted = Long.parseLong(parts[1]);
            isKnown = Long.parseLong(parts[2], HEX) == checksum(parts[0] + ' ' + parts[1]);
        } catch (final NumberFormatException e) {
            LOG.debug("{} holds no account", root, e);
        }
    }

    private static long checksum(final String text) {
        final CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return crc.getValue();
    }

    /**
     * Whether it is certain, without a count, that there is room.
     *
     * @param more bytes to take
     * @param limit of the folder
     * @param unwritten bytes that are to be written
     * @param free bytes of the host
     */
    boolean surelyFits(final long more, final long limit, final long unwritten, final long free) {
        return isKnown && bytes + FolderUsage.pages(more) <= limit && granted + unwritten <= free;
    }

    /**
     * Adds to the account; negative numbers subtract.
     *
     * @param moreBytes bytes of whole pages
     * @param moreGranted bytes that were granted to files that are being written
     */
    void add(final long moreBytes, final long moreGranted) throws IOException {
        if (moreBytes == 0 && moreGranted == 0) {
            return;
        }
        counted = null;
        if (isKnown) {
            write(Math.max(0, bytes + moreBytes), Math.max(0, granted + moreGranted));
        }
    }

    /** Adds up the lengths of all files, and makes the account exact. */
    FolderUsage count() throws IOException {
        if (counted == null) {
            final FolderUsage usage = FolderUsage.of(root);
            write(usage.bytes(), usage.granted());
            counted = usage;
        }
        return counted;
    }

    /** Where the file system has no page left for the text, every task counts the files. */
    private void write(final long newBytes, final long newGranted) throws IOException {
        bytes = newBytes;
        granted = newGranted;
        final String text = Long.toString(bytes) + ' ' + granted;
        try {
            lock.write(text + ' ' + Long.toString(checksum(text), HEX));
            isKnown = true;
        } catch (final IOException e) {
            LOG.debug("{} keeps no account", root, e);
            lock.write("");
            isKnown = false;
        }
    }
}
