package io.spillway.hadoop.reduce;

import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Keeps count of maps, bytes and errors, and tells Hadoop and the report of them. Owned by the
 * loop's thread; only {@link #lastMapNanos} and {@link #eventNeed} may be read elsewhere.
 */
final class ShuffleProgress {
    /** A lost stream is tried again more often than this. */
    private static final long TROUBLE_MILLIS = 30_000;

    private static final int COPYING = -1;

    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final TaskReport report;
    private final CopyStatus status;
    private final int maps;

    private boolean merging;
    private int uncopied;
    private int unannounced;
    private int streams;
    private long fetchedBytes;
    private long overlappedBytes;
    private long retries;
    private long takeovers;
    private volatile int mapsToCome;
    private volatile int openStreams = COPYING;
    private volatile long troubleMillis;
    private volatile long lastMapNanos;

    ShuffleProgress(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final TaskReport report,
            final int maps) {
        this.context = context;
        this.report = report;
        this.status = new CopyStatus(context.getStatus(), context.getCopyPhase(), maps);
        this.maps = maps;
        this.uncopied = maps;
        this.unannounced = maps;
        this.mapsToCome = maps;
    }

    /** Whether the copy phase is over: from here on no attempt can be exchanged for another. */
    boolean isMerging() {
        return merging;
    }

    /** Ends the copy phase. */
    void startMerging() {
        merging = true;
        if (maps == 0) {
            lastMapNanos = System.nanoTime();
        }
        report.add(ShuffleFigure.FETCH_OVERLAPPED_BYTES, overlappedBytes);
    }

    // ---- maps ----------------------------------------------------------------------------------

    /** A source of one map more is known, or is needed no more. */
    void mapAnnounced() {
        unannounced--;
        mapsToCome = unannounced;
        if (unannounced == 0) {
            lastMapNanos = System.nanoTime();
            overlappedBytes = fetchedBytes;
        }
    }

    /** The last source of a map is gone. */
    void mapWithdrawn() {
        unannounced++;
        mapsToCome = unannounced;
    }

    /** What the completion events to come may be needed for. Any thread. */
    EventNeed eventNeed(final long nowMillis) {
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
    void streamsOpened(final int count) {
        streams = count;
        openStreams = count;
    }

    /** The last byte of a stream is here. */
    void streamEnded() {
        streams--;
        openStreams = streams;
    }

    /** The source of a stream is lost or silent; to be called again as long as it is. */
    void streamTroubled(final long nowMillis) {
        troubleMillis = nowMillis;
    }

    /** Whether no map runs any more. */
    boolean allAnnounced() {
        return unannounced == 0;
    }

    /** When the last map's completion event came, by {@link System#nanoTime}. Any thread. */
    long lastMapNanos() {
        return lastMapNanos;
    }

    /** A map needs no more fetching. It is counted once, whatever becomes of its attempts. */
    void copied(final MapSlot map) {
        map.copied = true;
        uncopied--;
        if (!map.counted) {
            map.counted = true;
            context.getShuffledMapsCounter().increment(1);
        }
        show();
    }

    /** What was copied of a map is gone. */
    void copyLost(final MapSlot map) {
        map.copied = false;
        uncopied++;
        show();
    }

    /** The job goes on without a map. */
    void abandoned() {
        uncopied--;
        show();
    }

    int copiedMaps() {
        return maps - uncopied;
    }

    boolean allCopied() {
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
        report.add(ShuffleFigure.FETCH_SPILLWAY_BYTES, bytes);
    }

    void fetchedOverHttp(final long bytes) {
        fetchedBytes += bytes;
        report.add(ShuffleFigure.FETCH_HTTP_BYTES, bytes);
    }

    void putOnDisk(final long bytes) {
        report.add(ShuffleFigure.FETCH_HTTP_DISK_BYTES, bytes);
    }

    /** Bytes go into the merge: what stock counts as shuffled. */
    void shuffled(final long bytes) {
        context.getReduceShuffleBytes().increment(bytes);
    }

    // ---- failures ------------------------------------------------------------------------------

    /** A fetch will be tried again. */
    void retried() {
        retries++;
    }

    /** A piece of a segment is not what the map wrote. */
    void damagedPiece() {
        report.add(ShuffleFigure.DAMAGED_PIECES, 1);
    }

    /** The merge goes on with another attempt of a map. */
    void tookOver() {
        takeovers++;
        report.add(ShuffleFigure.ATTEMPT_FAILOVERS, 1);
    }

    /** A stream that failed while it was merged goes on with the same source. */
    void resumed() {
        report.add(ShuffleFigure.STREAMS_RESUMED, 1);
    }

    long takeovers() {
        return takeovers;
    }

    long retries() {
        return retries;
    }

    void count(final ShuffleError error) {
        final Counters.Counter counter =
                context.getReporter().getCounter(ShuffleError.GROUP, error.name());
        if (counter != null) {
            counter.increment(1);
        }
    }

    /** A fetch of the merge phase failed. */
    void countFailedFetch() {
        context.getFailedShuffleCounter().increment(1);
    }

    /**
     * Tells the MRAppMaster, with the next status update, that an attempt's output is not there.
     */
    void reportToMaster(final TaskAttemptID attempt) {
        context.getStatus().addFetchFailedMap(attempt);
    }
}
