// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.map.spill.OutputBuilder;
import io.spillway.engine.spi.MapHost;
import io.spillway.hadoop.combine.Combiner;
import io.spillway.hadoop.combine.RecordSerializer;
import io.spillway.hadoop.job.IntermediateEncryption;
import io.spillway.hadoop.job.SpillwayReducers;
import io.spillway.hadoop.report.ReportPublisher;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.RecordTooLargeException;
import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the records of one map task for the engine's {@link OutputBuilder}: checks and
 * serializes them, and counts as stock does. Not thread-safe: the collector in front of it is
 * synchronized.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class MapCollector<K, V> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MapCollector.class);

    private final JobConf job;
    private final CollectSettings settings;
    private final TaskReporter reporter;
    private final MapStores stores;
    private final OutputPlacer placer;
    private final OutputBuilder builder;
    private final Counters.Counter outputRecords;
    private final Counters.Counter outputBytes;

    private final RecordSerializer<K, V> serializer;
    private final MapTask task;

    /** The records that were accepted. */
    private long collected;

    private MapCollector(final MapOutputCollector.Context context, final OutputPlacer placer)
            throws IOException, ClassNotFoundException {
        this.placer = placer;
        job = context.getJobConf();
        task = context.getMapTask();
        settings = CollectSettings.of(job);
        reporter = context.getReporter();
        stores = MapStores.open(context, settings.stores());
        outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
        outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
        builder = new OutputBuilder(settings.spill(), host(context));
        serializer = new RecordSerializer<>(job, new RecordOutput(builder.stream()));
        builder.startProfiling();
    }

    /**
     * Opens a collector for a map task.
     *
     * @param placer finds other nodes for the output, where all reducers are Spillway's; the
     *     collector's to close once it is open
     * @throws IOException when a setting is out of range, or asks for what Spillway does not do
     */
    public static <K, V> MapCollector<K, V> open(
            final MapOutputCollector.Context context, final OutputPlacer placer)
            throws IOException, ClassNotFoundException {
        return new MapCollector<>(context, placer);
    }

    private MapHost host(final MapOutputCollector.Context context)
            throws IOException, ClassNotFoundException {
        return new MapHost(
                context.getMapTask().getTaskID().toString(),
                keyOrder(),
                codec(),
                IntermediateEncryption.of(job),
                Combiner.of(job, context.getMapTask().getTaskID(), reporter),
                stores.spills(),
                outputWriter(context),
                new StockCounters(reporter, settings),
                reporter,
                context.getMapTask().getSortPhase(),
                TaskStages::stageOf,
                this::publish);
    }

    private void publish(final TaskReport report) {
        report.add(ShuffleCounter.PLACEMENT_REFUSED, placer.refused());
        ReportPublisher.publish(report, job, reporter);
    }

    private MapOutputWriter outputWriter(final MapOutputCollector.Context context)
            throws IOException {
        return new MapOutputWriter(
                job,
                context.getMapTask().getMapOutputFile(),
                stores,
                SpillwayReducers.areSureOf(job) ? placer : OutputPlacer.HERE,
                context.getMapTask().getTaskID().toString());
    }

    private KeyOrder keyOrder() {
        return settings.usePrefix()
                ? KeyOrders.of(job.getOutputKeyComparator())
                : KeyOrders.comparing(job.getOutputKeyComparator());
    }

    private CompressionCodec codec() {
        return job.getCompressMapOutput()
                ? ReflectionUtils.newInstance(
                        job.getMapOutputCompressorClass(DefaultCodec.class), job)
                : null;
    }

    /**
     * Takes one record. As in stock, a record whose class, partition or serialization fails is not
     * taken, and does no harm to the others; once a spill has failed, every call fails.
     *
     * @throws IOException with stock's texts for a wrong class or partition, or when a spill fails
     */
    public void collect(final K key, final V value, final int partition) throws IOException {
        reporter.progress();
        requireClass("key", key, serializer.keyClass());
        requireClass("value", value, serializer.valueClass());
        if (partition < 0 || partition >= settings.spill().partitions()) {
            throw new IOException("Illegal partition for " + key + " (" + partition + ")");
        }
        builder.beginRecord();
        try {
            serializer.key(key);
            builder.endKey();
            serializer.value(value);
            outputBytes.increment(builder.endRecord(partition));
        } catch (final RecordTooLargeException e) {
            builder.discardRecord();
            LOG.info("Record too large for in-memory buffer: {}", e.getMessage());
            outputBytes.increment(spillAlone(key, value, partition));
        } catch (final Throwable e) {
            builder.discardRecord();
            throw e;
        }
        outputRecords.increment(1);
        collected++;
    }

    private static void requireClass(
            final String what, final Object object, final Class<?> expected) throws IOException {
        if (object.getClass() != expected) {
            throw new IOException(
                    "Type mismatch in "
                            + what
                            + " from map: expected "
                            + expected.getName()
                            + ", received "
                            + object.getClass().getName());
        }
    }

    private int spillAlone(final K key, final V value, final int partition) throws IOException {
        final DataOutputBuffer record = new DataOutputBuffer();
        final RecordSerializer<K, V> own = new RecordSerializer<>(job, record);
        own.key(key);
        final int keyLength = record.getLength();
        own.value(value);
        return builder.spillAlone(
                record.getData(), keyLength, record.getLength() - keyLength, partition);
    }

    /**
     * Writes the map output, and frees everything where that fails: Hadoop does not close a
     * collector whose flush has thrown.
     *
     * <p>Hadoop flushes the output of a mapper of the new API that has thrown, too. It sets the
     * task's phase once the mapper has returned; before that there is no output to write. This
     * throws then, which Hadoop logs: if another version flushed without that phase, the task would
     * fail and lose nothing.
     *
     * @throws IOException when the output cannot be written, or has not all records collected, or
     *     the attempt has failed before
     */
    public void flush() throws IOException, InterruptedException, ClassNotFoundException {
        try {
            if (task.getPhase() == TaskStatus.Phase.MAP) {
                throw builder.fail(new IOException("The mapper has not returned"));
            }
            builder.flush(collected);
        } catch (final Throwable e) {
            close();
            throw e;
        }
    }

    /** Frees memory and deletes what spills are left. Idempotent. */
    @Override
    public void close() {
        builder.close();
        stores.close();
        placer.close();
    }
}
