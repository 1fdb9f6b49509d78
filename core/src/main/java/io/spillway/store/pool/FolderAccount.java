package io.spillway.store.pool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The most that the files of a {@link FilePool} take, so that a task that asks for room need not
 * look at every output of its node. The account is an upper bound: what takes room is added before
 * it is there, and what goes without the folder's lock is not subtracted. Where the bound leaves no
 * room, and every time the owner looks after its folder, the files are {@link #count counted}.
 *
 * <p>It is the text of the folder's lock file, {@code BYTES GRANTED CHECKSUM}, read and written by
 * the holder of the lock alone. A text that a killed process has left incomplete does not count.
 * Not thread-safe: it lives as long as its lock is held.
 */
final class FolderAccount {
    private static final Logger LOG = LoggerFactory.getLogger(FolderAccount.class);

    private static final int PARTS = 3;
    private static final int HEX = 16;

    private final PathLock lock;
    private final Path root;

    /** Whether {@link #bytes} and {@link #granted} are a bound. */
    private boolean isKnown;

    private long bytes;
    private long granted;

    /** What was counted, where nothing has changed since; or null. */
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
     * Adds to the account.
     *
     * @param moreBytes of whole pages, below 0 for what is given back
     * @param moreGranted what files that are being written may take, written or not
     */
    void add(final long moreBytes, final long moreGranted) throws IOException {
        counted = null;
        if (isKnown) {
            write(Math.max(0, bytes + moreBytes), Math.max(0, granted + moreGranted));
        }
    }

    /** Looks at every file: from now on the account is exact. */
    FolderUsage count() throws IOException {
        if (counted == null) {
            final FolderUsage usage = FolderUsage.of(root);
            write(usage.bytes(), usage.granted());
            counted = usage;
        }
        return counted;
    }

    /** A file system without a page to spare keeps no account: every task counts then. */
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
