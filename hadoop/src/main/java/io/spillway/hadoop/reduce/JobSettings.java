// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.FailureRules;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.engine.spi.TaskSettings;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.http.HttpSettings;
import io.spillway.hadoop.job.IntermediateEncryption;
import io.spillway.hadoop.job.RunsPerMap;
import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.hadoop.tier.StoreSettings;
import io.spillway.ifile.SegmentCipher;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * What a task's context and its job's configuration set, stock's own settings among it. Immutable.
 */
final class JobSettings {
    /** Stock's limits on completion events asked for in one call. */
    private static final int MAX_EVENTS = 10_000;

    private static final int MIN_EVENTS = 100;
    private static final int MAX_EVENTS_OF_ALL_REDUCERS = 3_000_000;

    /** What one status of a task may name without harm to the MRAppMaster. */
    private static final int MAX_NOTIFICATIONS = 5_000;

    private static final int STOCK_TIMEOUT_MILLIS = 180_000;

    private static final String NM_RECOVERY_ENABLED = "yarn.nodemanager.recovery.enabled";

    final TaskAttemptID reduceId;
    final int numReduces;

    /** What the engine is set to. */
    final ShuffleSettings shuffle;

    /** Where runs go that are merged in levels. */
    final StoreSettings stores;

    /** TLS of shuffle ports; nothing where they have none. */
    final Optional<ShuffleTls> tls;

    final long pollMillis;
    final int maxEvents;

    private final JobConf conf;
    private final boolean usePrefix;

    /**
     * Reads the settings.
     *
     * @throws io.spillway.conf.InvalidSettingException when one of Spillway's does not hold
     * @throws UncheckedIOException when intermediate data is encrypted, and the task has no key;
     *     when shuffle ports have TLS, and it cannot be set up
     */
    JobSettings(final ShuffleConsumerPlugin.Context<?, ?> context, final long heapBytes) {
        conf = context.getJobConf();
        reduceId = (TaskAttemptID) context.getReduceId();
        numReduces = conf.getNumReduceTasks();
        final Lookup lookup = new Lookup(conf);
        usePrefix = EngineKeys.SORT_PREFIX.get(lookup);
        shuffle =
                new ShuffleSettings(
                        task(context.getCodec() != null), lookup, this::keyOrder, heapBytes);
        stores = StoreSettings.of(lookup);
        tls = tls();
        pollMillis = EngineKeys.SHUFFLE_POLL_INTERVAL.get(lookup);
        maxEvents =
                Math.min(
                        MAX_EVENTS,
                        Math.max(MIN_EVENTS, MAX_EVENTS_OF_ALL_REDUCERS / Math.max(1, numReduces)));
    }

    /** What requests to stock shuffle handlers need. */
    HttpSettings http(final SecretKey secret) {
        return new HttpSettings(
                shuffle,
                reduceId.getJobID().toString(),
                secret,
                Math.max(0, conf.getInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, STOCK_TIMEOUT_MILLIS)),
                Math.max(0, conf.getInt(MRJobConfig.SHUFFLE_READ_TIMEOUT, STOCK_TIMEOUT_MILLIS)),
                tls);
    }

    private Optional<ShuffleTls> tls() {
        try {
            return ShuffleTls.of(conf);
        } catch (final IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private TaskSettings task(final boolean compressed) {
        return new TaskSettings(
                reduceId.toString(),
                reduceId.getTaskID().getId(),
                new TaskSettings.Maps(
                        conf.getNumMapTasks(),
                        RunsPerMap.of(conf).most(),
                        new SegmentForm(compressed, cipher())),
                Math.max(1, conf.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, 5)),
                conf.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS),
                failureRules());
    }

    private SegmentCipher cipher() {
        try {
            return IntermediateEncryption.of(conf);
        } catch (final IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private FailureRules failureRules() {
        return new FailureRules(
                conf.getLong(
                        MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY,
                        MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_RETRY_DELAY),
                conf.getInt(
                        MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES,
                        MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_HOST_FAILURES),
                Math.max(1, conf.getInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 10)),
                conf.getBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, true),
                notificationsForRerun(),
                restart());
    }

    private FailureRules.Restart restart() {
        return new FailureRules.Restart(
                conf.getBoolean(
                        MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED,
                        conf.getBoolean(NM_RECOVERY_ENABLED, false)),
                conf.getInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, STOCK_TIMEOUT_MILLIS),
                conf.getInt(
                        MRJobConfig.SHUFFLE_FETCH_RETRY_INTERVAL_MS,
                        MRJobConfig.DEFAULT_SHUFFLE_FETCH_RETRY_INTERVAL_MS));
    }

    /**
     * The reports on which the MRAppMaster runs a map again, whatever other reducers do: it counts
     * them, and compares their number to that of the reducers that copy.
     */
    private int notificationsForRerun() {
        final int least =
                conf.getInt(
                        MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS,
                        MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS);
        final float fraction =
                conf.getFloat(
                        MRJobConfig.MAX_ALLOWED_FETCH_FAILURES_FRACTION,
                        MRJobConfig.DEFAULT_MAX_ALLOWED_FETCH_FAILURES_FRACTION);
        final int ofReducers = (int) Math.ceil((double) fraction * numReduces);
        return Math.max(1, Math.max(least, Math.min(ofReducers, MAX_NOTIFICATIONS)));
    }

    /** The order of the merge, with a comparator of its own: a job's may have state. */
    KeyOrder keyOrder() {
        final RawComparator<?> comparator = conf.getOutputKeyComparator();
        return usePrefix ? KeyOrders.of(comparator) : KeyOrders.comparing(comparator);
    }
}
