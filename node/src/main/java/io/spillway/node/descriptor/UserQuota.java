// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.store.StoreFullException;
import java.util.HashMap;
import java.util.Map;

/**
 * What users have of one tier by descriptors, in bytes of whole pages, and how much each may have.
 * Thread-safe.
 */
public final class UserQuota {
    private static final class Bytes {
        private final String user;
        private long count;

        Bytes(final String user, final long count) {
            this.user = user;
            this.count = count;
        }
    }

    private final String setting;
    private final long limit;
    private final Map<String, Bytes> jobs = new HashMap<>();

    /**
     * Creates a quota of nobody's bytes.
     *
     * @param setting that it is made of, for messages
     * @param limit bytes of each user
     */
    public UserQuota(final String setting, final long limit) {
        this.setting = setting;
        this.limit = limit;
    }

    /** Begins with what a job has, where the job is not known yet. */
    synchronized void begin(final String job, final String user, final long bytes) {
        jobs.putIfAbsent(job, new Bytes(user, bytes));
    }

    /**
     * Takes bytes for a job that has begun.
     *
     * @throws StoreFullException when its user would have more than the limit
     */
    synchronized void take(final String job, final long bytes) throws StoreFullException {
        final Bytes own = jobs.get(job);
        if (own == null) {
            throw new StoreFullException(job + " has ended");
        }
        final long has =
                jobs.values().stream()
                        .filter(each -> each.user.equals(own.user))
                        .mapToLong(each -> each.count)
                        .sum();
        if (bytes > limit - has) {
            throw new StoreFullException(
                    "bytes="
                            + bytes
                            + " of user "
                            + own.user
                            + ", who has "
                            + has
                            + ", expected at most "
                            + limit
                            + " in all ("
                            + setting
                            + ")");
        }
        own.count += bytes;
    }

    /** Corrects what a job has. */
    synchronized void change(final String job, final long difference) {
        final Bytes own = jobs.get(job);
        if (own != null) {
            own.count += difference;
        }
    }

    /** A job has ended, and nothing is left of it. */
    synchronized void end(final String job) {
        jobs.remove(job);
    }
}
