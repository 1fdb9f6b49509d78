// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.store.StoreFullException;
import java.util.HashMap;
import java.util.Map;

/**
 * The bytes of lent files in one tier, by user, in whole pages, and the limit of each user.
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
     * Creates a quota without files.
     *
     * @param setting of the limit, for messages
     * @param limit bytes of each user
     */
    public UserQuota(final String setting, final long limit) {
        this.setting = setting;
        this.limit = limit;
    }

    /** Begins a job with the bytes that it already has, where the job is new. */
    synchronized void begin(final String job, final String user, final long bytes) {
        jobs.putIfAbsent(job, new Bytes(user, bytes));
    }

    /**
     * Reserves bytes for a job that has begun.
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

    /** Corrects the bytes of a job. */
    synchronized void change(final String job, final long difference) {
        final Bytes own = jobs.get(job);
        if (own != null) {
            own.count += difference;
        }
    }

    /** Removes an ended job with all its bytes. */
    synchronized void end(final String job) {
        jobs.remove(job);
    }
}
