// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one tier that this NodeManager owns and offers to tasks: it is looked after, made
 * again where it was deleted, and taken back from jobs. Thread-safe, but for {@link #look}.
 */
final class TierFolder {
    private static final Logger LOG = LoggerFactory.getLogger(TierFolder.class);

    private final NodeTier tier;
    private final Path directory;
    private final long limit;
    private volatile FilePool files;

    /** Whether its pool was deleted by this process, which is about to end. */
    private boolean isDrained;

    /** What the last look failed for; empty where it did not. */
    private String trouble = "";

    /**
     * A folder that was just made.
     *
     * @param directory the tier's, which the folder of this user's nodes is in
     * @param limit the most bytes of all files, as tasks learn it
     */
    TierFolder(final NodeTier tier, final Path directory, final FilePool files, final long limit) {
        this.tier = tier;
        this.directory = directory;
        this.files = files;
        this.limit = limit;
    }

    Path root() {
        return files.root();
    }

    long limit() {
        return limit;
    }

    FilePool files() {
        return files;
    }

    /**
     * Gives a sign of life and takes back what dead tasks have left; to be called now and then by
     * one thread. What fails again and again is logged once.
     */
    void look() {
        try {
            makeAgainIfDeleted();
            files.giveSign();
            files.reclaimDead();
            trouble = "";
        } catch (final IOException | RuntimeException e) {
            if (!trouble.equals(e.toString())) {
                trouble = e.toString();
                LOG.warn("The {} tier's folder {} is of no use: {}", tier.text(), root(), trouble);
            }
        }
    }

    /**
     * Map outputs in a deleted folder are lost: reducers report them, and their maps run again.
     *
     * @throws IOException when the directory is not what it was when the NodeManager started
     */
    private synchronized void makeAgainIfDeleted() throws IOException {
        if (isDrained || files.isWhole()) {
            return;
        }
        tier.prepare(directory);
        files = files.makeAgain();
        LOG.warn(
                "The {} tier's folder {} was deleted with the map outputs in it, and is made"
                        + " again. Who deletes it? systemd does when its user logs out, where"
                        + " RemoveIPC=yes and the user is not a system user",
                tier.text(),
                root());
    }

    /** Takes back what a job has left. */
    void reclaim(final String application) {
        try {
            files.reclaim(application);
        } catch (final IOException | RuntimeException e) {
            LOG.warn("Cannot take back what {} has left in {}", application, root(), e);
        }
    }

    /** Deletes the files without an owner; from now on tasks get none. Idempotent. */
    synchronized void drain() {
        isDrained = true;
        files.drain();
    }

    /** Ends the ownership. */
    synchronized void release() {
        isDrained = true;
        files.release();
    }
}
