// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

/**
 * How the source of one fetch does: requests in flight, failures, reports. Owned by the loop's
 * thread.
 */
public final class SourceHealth {
    private int requests;
    private long silentSinceMillis;
    private long troubleSinceMillis;
    private boolean interrupted;
    private boolean resting;
    private boolean obsolete;
    private boolean reported;
    private long reportedMillis;

    void requestBegan(final long nowMillis) {
        if (requests++ == 0) {
            silentSinceMillis = nowMillis;
        }
    }

    void requestEnded(final long nowMillis) {
        requests--;
        silentSinceMillis = nowMillis;
    }

    int requests() {
        return requests;
    }

    /** How long the requests in flight have brought nothing. */
    public long silentMillis(final long nowMillis) {
        return requests == 0 ? 0 : nowMillis - silentSinceMillis;
    }

    /** While merging: a request has failed. */
    public void interrupt() {
        interrupted = true;
    }

    /** While merging: the source fails, from now on unless it did before. */
    public void fail(final long nowMillis) {
        interrupted = true;
        if (troubleSinceMillis == 0) {
            troubleSinceMillis = nowMillis;
        }
    }

    /** Whether it has failed, and brought nothing undamaged since. */
    public boolean isInTrouble() {
        return troubleSinceMillis > 0;
    }

    /** How long it has been failing. Only when {@link #isInTrouble}. */
    public long troubleMillis(final long nowMillis) {
        return nowMillis - troubleSinceMillis;
    }

    /** It has brought bytes, and none is missing that was damaged. */
    public void recover() {
        troubleSinceMillis = 0;
    }

    /**
     * It has brought bytes.
     *
     * @return whether a request had failed since it last did
     */
    public boolean resume() {
        final boolean was = interrupted;
        interrupted = false;
        return was;
    }

    /** Nothing is asked of it until {@link #endRest}. */
    public void rest() {
        resting = true;
    }

    public void endRest() {
        resting = false;
    }

    public boolean isResting() {
        return resting;
    }

    /** While merging: the framework knows that the attempt's output is of no more use. */
    public void markObsolete() {
        obsolete = true;
    }

    public boolean isObsolete() {
        return obsolete;
    }

    /** Whether the framework was never told that the output cannot be had. */
    public boolean isUnreported() {
        return !reported;
    }

    /** Whether a report is due: there was none in the last {@code everyMillis}. */
    public boolean isReportDue(final long nowMillis, final long everyMillis) {
        return !obsolete && (!reported || nowMillis - reportedMillis >= everyMillis);
    }

    public void markReported(final long nowMillis) {
        reported = true;
        reportedMillis = nowMillis;
    }
}
