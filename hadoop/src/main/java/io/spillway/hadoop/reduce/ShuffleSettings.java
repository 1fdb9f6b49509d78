package io.spillway.hadoop.reduce;

import io.spillway.conf.SpillwayKeys;
import io.spillway.hadoop.job.RunsPerMap;
import io.spillway.hadoop.job.WindowLength;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.transport.JobCredentials;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * All that one reducer's shuffle is set to: Spillway's settings and stock's own. Immutable.
 *
 * <p>The size of a chunk is the largest power of two between the smallest and the largest window of
 * which the budget holds two for every run of every map.
 */
final class ShuffleSettings {
    /** Stock's limits on completion events asked for in one call. */
    private static final int MAX_EVENTS = 10_000;

    private static final int MIN_EVENTS = 100;
    private static final int MAX_EVENTS_OF_ALL_REDUCERS = 3_000_000;

    /** What one status of a task may name without harm to the MRAppMaster. */
    private static final int MAX_NOTIFICATIONS = 5_000;

    private static final int STOCK_TIMEOUT_MILLIS = 180_000;

    /** The watchdog strikes within this part of mapreduce.task.timeout. */
    private static final int WATCHDOG_PART = 4;

    private static final String NM_RECOVERY_ENABLED = "yarn.nodemanager.recovery.enabled";

    /** This part of the budget is for heads that cross chunks. */
    private static final int HEAD_PARTS = 16;

    final TaskAttemptID reduceId;
    final int partition;
    final int numMaps;
    final int numReduces;

    /** The most runs that a map leaves its output in. */
    final int runsPerMap;

    final boolean compressed;
    final boolean usePrefix;

    /** Whether memory goes to the streams that the merge will use up first. */
    final boolean windowsByDemand;

    /** What keys are foreseen by; null where they cannot be. */
    final KeyOrder forecastOrder;

    final long budgetBytes;
    final int chunkSize;
    final int chunks;

    /** What the heads and the current record of merges may take beside the chunks. */
    final long headBytes;

    final int requestsInFlight;
    final long pollMillis;
    final long streamRetryMillis;
    final long rerunWaitMillis;
    final long hedgeMillis;

    /** A wait that nothing can end fails the attempt after this; 0 for never. */
    final long watchdogMillis;

    /** After this the transport has ended a connection that does not answer. */
    final long readTimeoutMillis;

    /** In this time the transport opens a connection, or fails to. */
    final long connectTimeoutMillis;

    final long idleMillis;

    /** Whether to combine while copying: on, off or auto. */
    final String combine;

    /** So many segments that wait are merged while copying; below 2 for never. */
    final int mergeFactor;

    final int maxEvents;
    final int parallelCopies;
    final long maxPenaltyMillis;
    final int maxHostFailures;
    final int failuresBeforeReport;
    final boolean reportReadErrors;
    final int notificationsForRerun;
    final boolean fetchRetry;
    final long fetchRetryMillis;
    final long fetchRetryIntervalMillis;
    final int httpConnectMillis;
    final int httpReadMillis;

    /**
     * Reads the settings.
     *
     * @throws io.spillway.conf.InvalidSettingException when one of Spillway's does not hold
     */
    ShuffleSettings(final ShuffleConsumerPlugin.Context<?, ?> context, final long heapBytes) {
        final JobConf conf = context.getJobConf();
        final Function<String, String> lookup = conf::getTrimmed;
        reduceId = (TaskAttemptID) context.getReduceId();
        partition = reduceId.getTaskID().getId();
        numMaps = conf.getNumMapTasks();
        numReduces = conf.getNumReduceTasks();
        runsPerMap = RunsPerMap.of(conf).most();
        compressed = context.getCodec() != null;
        usePrefix = SpillwayKeys.SORT_PREFIX.get(lookup);

        final String windows = SpillwayKeys.SHUFFLE_WINDOWS.get(lookup);
        windowsByDemand =
                SpillwayKeys.AUTO.equals(windows)
                        ? SpillwayKeys.MODE.get(lookup).sizesWindowsByDemand()
                        : "demand".equals(windows);
        forecastOrder = forecastOrder(conf);

        budgetBytes = WindowLength.budget(lookup, heapBytes, numMaps, runsPerMap);
        chunkSize = WindowLength.of(lookup, budgetBytes, numMaps, runsPerMap);
        chunks = chunkSize == 0 ? 0 : chunks();
        headBytes = Math.max(budgetBytes / HEAD_PARTS, budgetBytes - (long) chunks * chunkSize);

        requestsInFlight = SpillwayKeys.SHUFFLE_REQUESTS_IN_FLIGHT.get(lookup);
        pollMillis = SpillwayKeys.SHUFFLE_POLL_INTERVAL.get(lookup);
        streamRetryMillis = SpillwayKeys.SHUFFLE_STREAM_RETRY.get(lookup);
        rerunWaitMillis = SpillwayKeys.SHUFFLE_RERUN_WAIT.get(lookup);
        hedgeMillis = SpillwayKeys.SHUFFLE_HEDGE.get(lookup);
        watchdogMillis = watchdogMillis(conf, SpillwayKeys.SHUFFLE_WATCHDOG.get(lookup));
        readTimeoutMillis = SpillwayKeys.SHUFFLE_READ_TIMEOUT.get(lookup);
        connectTimeoutMillis = SpillwayKeys.SHUFFLE_CONNECT_TIMEOUT.get(lookup);
        idleMillis = SpillwayKeys.SHUFFLE_IDLE.get(lookup);

        combine = SpillwayKeys.SHUFFLE_COMBINE.get(lookup);
        mergeFactor = SpillwayKeys.SHUFFLE_MERGE_FACTOR.get(lookup);

        maxEvents =
                Math.min(
                        MAX_EVENTS,
                        Math.max(MIN_EVENTS, MAX_EVENTS_OF_ALL_REDUCERS / Math.max(1, numReduces)));
        parallelCopies = Math.max(1, conf.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, 5));
        maxPenaltyMillis =
                conf.getLong(
                        MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY,
                        MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_RETRY_DELAY);
        maxHostFailures =
                conf.getInt(
                        MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES,
                        MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_HOST_FAILURES);
        failuresBeforeReport = Math.max(1, conf.getInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 10));
        reportReadErrors = conf.getBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, true);
        notificationsForRerun = notificationsForRerun(conf);
        fetchRetry =
                conf.getBoolean(
                        MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED,
                        conf.getBoolean(NM_RECOVERY_ENABLED, false));
        fetchRetryMillis =
                conf.getInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, STOCK_TIMEOUT_MILLIS);
        fetchRetryIntervalMillis =
                conf.getInt(
                        MRJobConfig.SHUFFLE_FETCH_RETRY_INTERVAL_MS,
                        MRJobConfig.DEFAULT_SHUFFLE_FETCH_RETRY_INTERVAL_MS);
        httpConnectMillis =
                Math.max(0, conf.getInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, STOCK_TIMEOUT_MILLIS));
        httpReadMillis =
                Math.max(0, conf.getInt(MRJobConfig.SHUFFLE_READ_TIMEOUT, STOCK_TIMEOUT_MILLIS));
    }

    /** The attempt is to say why it fails before the MRAppMaster kills it for its silence. */
    private static long watchdogMillis(final JobConf conf, final long wanted) {
        final long timeout =
                conf.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS);
        return timeout <= 0 || wanted == 0
                ? wanted
                : Math.max(1, Math.min(wanted, timeout / WATCHDOG_PART));
    }

    /**
     * The reports on which the MRAppMaster runs a map again, whatever other reducers do: it counts
     * them, and compares their number to that of the reducers that copy.
     */
    private static int notificationsForRerun(final JobConf conf) {
        final int least =
                conf.getInt(
                        MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS,
                        MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS);
        final float fraction =
                conf.getFloat(
                        MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION,
                        MRJobConfig.DEFAULT_MAX_ALLOWED_FETCH_FAILURES_FRACTION);
        final int ofReducers = (int) Math.ceil((double) fraction * conf.getNumReduceTasks());
        return Math.max(1, Math.max(least, Math.min(ofReducers, MAX_NOTIFICATIONS)));
    }

    /** All that is not for heads; two for each stream in any case. */
    private int chunks() {
        final long bytes = budgetBytes - budgetBytes / HEAD_PARTS;
        final long least = (long) ChunkPool.WINDOW * streams();
        return (int) Math.min(Integer.MAX_VALUE, Math.max(least, bytes / chunkSize));
    }

    /** The most streams that are merged at a time. */
    int streams() {
        return numMaps * runsPerMap;
    }

    /** What the reducer proves itself with. */
    JobCredentials credentials(final SecretKey secret) {
        return new JobCredentials(reduceId.getJobID().toString(), secret.getEncoded());
    }

    /** Only orders that never ask the job's comparator: that one is the task thread's. */
    private KeyOrder forecastOrder(final JobConf conf) {
        if (!windowsByDemand || compressed || !usePrefix) {
            return null;
        }
        final KeyOrder order = KeyOrders.of(conf.getOutputKeyComparator());
        return order.strength() == KeyOrder.Strength.NONE ? null : order;
    }

    /** The order of the merge. */
    KeyOrder order(final RawComparator<?> comparator) {
        return usePrefix ? KeyOrders.of(comparator) : KeyOrders.comparing(comparator);
    }

    /** The number of chunks that {@code bytes} take. */
    int chunksFor(final long bytes) {
        return (int) Math.min(Integer.MAX_VALUE - 1, (bytes + chunkSize - 1) / chunkSize);
    }
}
