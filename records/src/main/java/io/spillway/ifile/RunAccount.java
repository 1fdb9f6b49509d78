// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

/**
 * The account of one run: how many records it must have, and how many its reader has found.
 * Thread-safe.
 */
public final class RunAccount {
    private volatile long expected = RecordCounts.UNKNOWN;
    private volatile Object counter;
    private volatile long found = RecordCounts.UNKNOWN;

    /**
     * Sets what the run must have. May be called again, by one thread: another source goes on with
     * the run.
     *
     * @param records or {@link RecordCounts#UNKNOWN}
     * @param whose count that is, for messages
     */
    public void expect(final long records, final Object whose) {
        counter = whose;
        expected = records;
    }

    /** Whose count is expected, for messages; null where there is none. */
    public Object counter() {
        return counter;
    }

    /** What the run must have, or {@link RecordCounts#UNKNOWN}. */
    public long expected() {
        return expected;
    }

    /**
     * The run was read to its end.
     *
     * @return whether that is as it must be, as far as that is known
     */
    public boolean ended(final long records) {
        found = records;
        return !contradicts(records);
    }

    /** Whether another count of the same records is known and differs. */
    public boolean contradicts(final long records) {
        final long known = expected;
        return known != RecordCounts.UNKNOWN && records != RecordCounts.UNKNOWN && known != records;
    }

    /** Whether the run was read to its end. */
    public boolean hasEnded() {
        return found != RecordCounts.UNKNOWN;
    }

    /** What it must have; where that is not known, what was found. Once it {@link #hasEnded}. */
    public long records() {
        final long known = expected;
        return known == RecordCounts.UNKNOWN ? found : known;
    }
}
