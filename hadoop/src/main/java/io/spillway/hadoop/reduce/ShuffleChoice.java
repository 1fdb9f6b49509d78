package io.spillway.hadoop.reduce;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Setting;
import io.spillway.conf.SpillwayKeys;
import io.spillway.engine.merge.DecoderMemory;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.StockReason;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/** Decides whether a reducer can use Spillway's shuffle, and with which settings. Immutable. */
public final class ShuffleChoice {
    /** The part of the heap that a reducer's own code keeps, whatever the shuffle takes. */
    private static final double HEAP_FOR_OTHERS = 0.1;

    private final JobSettings settings;
    private final String stockReason;

    private ShuffleChoice(final JobSettings settings, final String stockReason) {
        this.settings = settings;
        this.stockReason = stockReason;
    }

    /** Decides for one task, with this JVM's heap. */
    public static ShuffleChoice of(final ShuffleConsumerPlugin.Context<?, ?> context) {
        return of(context, Runtime.getRuntime().maxMemory());
    }

    static ShuffleChoice of(
            final ShuffleConsumerPlugin.Context<?, ?> context, final long heapBytes) {
        try {
            final Optional<String> reason = reasonOfTask(context);
            if (reason.isPresent()) {
                return new ShuffleChoice(null, reason.get());
            }
            final JobSettings settings = new JobSettings(context, heapBytes);
            return reasonOfMemory(settings.shuffle, context, heapBytes)
                    .map(why -> new ShuffleChoice(null, why))
                    .orElseGet(() -> new ShuffleChoice(settings, null));
        } catch (final InvalidSettingException e) {
            return new ShuffleChoice(null, e.getMessage());
        }
    }

    private static Optional<String> reasonOfTask(
            final ShuffleConsumerPlugin.Context<?, ?> context) {
        if (context.getLocalMapFiles() != null) {
            return Optional.of("map outputs are local files (uber task or LocalJobRunner)");
        }
        if (context.getReduceTask().getShuffleSecret() == null) {
            return Optional.of("the task has no shuffle secret");
        }
        return StockReason.of(context.getJobConf());
    }

    private static Optional<String> reasonOfMemory(
            final ShuffleSettings settings,
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final long heapBytes) {
        if (settings.chunkSize == 0) {
            return Optional.of(
                    "the shuffle buffer of "
                            + settings.budgetBytes
                            + " bytes ("
                            + bufferSetting(context.getJobConf())
                            + ") cannot hold two windows of "
                            + text(SpillwayKeys.SHUFFLE_WINDOW_MIN, context.getJobConf())
                            + " for each of "
                            + settings.numMaps
                            + " maps");
        }
        final long bearable = (long) (heapBytes * (1 - HEAP_FOR_OTHERS)) - settings.budgetBytes;
        final long decoders = decoderBytes(context.getCodec(), context.getJobConf(), settings);
        if (decoders > bearable) {
            return Optional.of(
                    "the heap of "
                            + heapBytes
                            + " bytes cannot bear the shuffle buffer of "
                            + settings.budgetBytes
                            + " bytes ("
                            + bufferSetting(context.getJobConf())
                            + ") and the decoders of "
                            + settings.numMaps
                            + " maps of "
                            + decoders
                            + " bytes");
        }
        return Optional.empty();
    }

    /** What the size of the buffer comes from. */
    private static String bufferSetting(final Configuration conf) {
        return SpillwayKeys.SHUFFLE_BUFFER_BYTES.get(new Lookup(conf)).isPresent()
                ? text(SpillwayKeys.SHUFFLE_BUFFER_BYTES, conf)
                : text(SpillwayKeys.SHUFFLE_BUFFER_PERCENT, conf);
    }

    private static String text(final Setting<?> setting, final Configuration conf) {
        return setting.name() + "=" + conf.getTrimmed(setting.name(), setting.defaultText());
    }

    private static long decoderBytes(
            final CompressionCodec codecOrNull,
            final Configuration conf,
            final ShuffleSettings settings) {
        return codecOrNull == null
                ? 0
                : (long) settings.streams() * DecoderMemory.bytesPerSegment(codecOrNull, conf);
    }

    /** Why the stock shuffle is to be used, or null when Spillway's is. */
    public String stockReason() {
        return stockReason;
    }

    JobSettings settings() {
        return settings;
    }
}
