// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.spi.CopyProgress;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.FailureReports;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.engine.spi.TaskCounters;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;

/**
 * Keeps count of maps, bytes and errors, for the framework and the report. Owned by the loop's
 * thread; only {@link #lastMapNanos} and {@link #eventNeed} may be read elsewhere.
 */
public final class ShuffleProgress {
    /** A lost stream is tried again more often than this. */
    private static final long TROUBLE_MILLIS = 30_000;

    private static final int COPYING = -1;

    private final CopyProgress status;
    private final TaskCounters counters;
    private final FailureReports failures;
    private final TaskReport report;
    private final int maps;

    private boolean merging;
    private int uncopied;
    private int unannounced;
    private int streams;
    private long fetchedBytes;
    private long overlappedBytes;
    private long retries;
    private long failovers;
    private volatile int mapsToCome;
    private volatile int openStreams = COPYING;
    private volatile long troubleMillis;
    private volatile long lastMapNanos;

    ShuffleProgress(final ShuffleHost host, final TaskReport report, final int maps) {
        this.status = host.task().copying();
        this.counters = host.task().counters();
        this.failures = host.outputs().failures();
        this.report = report;
        this.maps = maps;
        this.uncopied = maps;
        this.unannounced = maps;
        this.mapsToCome = maps;
    }

    /** Whether the copy phase is over: from here on no attempt can be exchanged for another. */
    public boolean isMerging() {
        return merging;
    }

    /** Ends the copy phase. */
    public void startMerging() {
        merging = true;
        if (maps == 0) {
            lastMapNanos = System.nanoTime();
        }
        report.add(ShuffleCounter.FETCH_OVERLAPPED_BYTES, overlappedBytes);
    }

    // ---- maps ----------------------------------------------------------------------------------

    /** A source of one map more is known, or is needed no more. */
    public void mapAnnounced() {
        unannounced--;
        mapsToCome = unannounced;
        if (unannounced == 0) {
            lastMapNanos = System.nanoTime();
            overlappedBytes = fetchedBytes;
        }
    }

    /** The last source of a map is gone. */
    public void mapWithdrawn() {
        unannounced++;
        mapsToCome = unannounced;
    }

    /** What the completion events to come may be needed for. Any thread. */
    public EventNeed eventNeed(final long nowMillis) {
        final int open = openStreams;
        if (open == COPYING) {
            return EventNeed.whileCopying(mapsToCome, maps);
        }
        if (open == 0) {
            return EventNeed.NOTHING;
        }
        final boolean isLost = troubleMillis != 0 && nowMillis - troubleMillis < TROUBLE_MILLIS;
        return isLost ? EventNeed.LOST_STREAM : EventNeed.STREAMS;
    }

    /** The merge begins with so many streams of which something is still to be fetched. */
    public void streamsOpened(final int count) {
        streams = count;
        openStreams = count;
    }

    /** The last byte of a stream is here. */
    void streamEnded() {
        streams--;
        openStreams = streams;
    }

    /** The source of a stream is lost or silent; to be called again as long as it is. */
    public void streamTroubled(final long nowMillis) {
        troubleMillis = nowMillis;
    }

    /** Whether no map runs any more. */
    public boolean allAnnounced() {
        return unannounced == 0;
    }

    /** When the last map's completion event came, by {@link System#nanoTime}. Any thread. */
    public long lastMapNanos() {
        return lastMapNanos;
    }

    /** A map needs no more fetching. It is counted once, whatever becomes of its attempts. */
    void copied(final MapSlot map) {
        uncopied--;
        if (map.markCopied()) {
            counters.mapShuffled();
        }
        show();
    }

    /** What was copied of a map is gone. */
    void copyLost(final MapSlot map) {
        map.markLost();
        uncopied++;
        show();
    }

    /** The job goes on without a map. */
    public void abandoned() {
        uncopied--;
        show();
    }

    public int copiedMaps() {
        return maps - uncopied;
    }

    public boolean allCopied() {
        return uncopied == 0;
    }

    private void show() {
        status.copied(copiedMaps(), System.nanoTime());
    }

    // ---- bytes ---------------------------------------------------------------------------------

    /** A request goes out. */
    void requestBegan() {
        status.began(System.nanoTime());
    }

    /** A request has brought {@code bytes}. */
    void requestEnded(final long bytes) {
        status.ended(bytes, System.nanoTime());
        fetchedBytes += bytes;
        report.add(ShuffleCounter.FETCH_SPILLWAY_BYTES, bytes);
    }

    public void fetchedOverHttp(final long bytes) {
        fetchedBytes += bytes;
        report.add(ShuffleCounter.FETCH_HTTP_BYTES, bytes);
    }

    void putOnDisk(final long bytes) {
        report.add(ShuffleCounter.FETCH_HTTP_DISK_BYTES, bytes);
    }

    /** Bytes go into the merge: what stock counts as shuffled. */
    public void shuffled(final long bytes) {
        counters.bytesShuffled(bytes);
    }

    // ---- failures ------------------------------------------------------------------------------

    /** A fetch will be tried again. */
    public void retried() {
        retries++;
    }

    /** A piece of a segment is not what the map wrote. */
    public void damagedPiece() {
        report.add(ShuffleCounter.DAMAGED_PIECES, 1);
    }

    /** The merge goes on with another attempt of a map. */
    public void failedOver() {
        failovers++;
        report.add(ShuffleCounter.ATTEMPT_FAILOVERS, 1);
    }

    /** A stream that failed while it was merged goes on with the same source. */
    void resumed() {
        report.add(ShuffleCounter.STREAMS_RESUMED, 1);
    }

    public long failovers() {
        return failovers;
    }

    public long retries() {
        return retries;
    }

    public void count(final ShuffleError error) {
        counters.failed(error);
    }

    /** A fetch of the merge phase failed. */
    public void countFailedFetch() {
        counters.fetchFailed();
    }

    /** Reports to the framework that an attempt's output cannot be had. */
    public void reportLost(final OutputId attempt) {
        failures.outputFailed(attempt);
    }
}
