package io.spillway.sort;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks the order of a job's comparator. Thread-safe.
 *
 * <p>Only the exact classes below get prefixes, for only of them the byte order is known; a
 * subclass may compare otherwise. {@code VIntWritable} and {@code VLongWritable} have no raw
 * comparator in Hadoop, and plain {@code WritableComparator} deserializes.
 */
public final class KeyOrders {
    private static final Logger LOG = LoggerFactory.getLogger(KeyOrders.class);

    private static final Map<Class<?>, KeyOrder> KNOWN =
            Map.ofEntries(
                    Map.entry(Text.Comparator.class, new ContentOrder.AfterVInt()),
                    Map.entry(BytesWritable.Comparator.class, new ContentOrder.AfterInt()),
                    Map.entry(BooleanWritable.Comparator.class, new ContentOrder.Plain()),
                    Map.entry(MD5Hash.Comparator.class, new ContentOrder.Digest()),
                    Map.entry(IntWritable.Comparator.class, new FixedOrder.OfInt()),
                    Map.entry(LongWritable.Comparator.class, new FixedOrder.OfLong()),
                    Map.entry(
                            LongWritable.DecreasingComparator.class,
                            new FixedOrder.OfLongDecreasing()),
                    Map.entry(ShortWritable.Comparator.class, new FixedOrder.OfShort()),
                    Map.entry(ByteWritable.Comparator.class, new FixedOrder.OfByte()),
                    Map.entry(FloatWritable.Comparator.class, new FixedOrder.OfFloat()),
                    Map.entry(DoubleWritable.Comparator.class, new FixedOrder.OfDouble()),
                    Map.entry(NullWritable.Comparator.class, new FixedOrder.OfNothing()));

    private KeyOrders() {}

    /**
     * The order of a comparator: with prefixes where its class is exactly one whose byte order is
     * known here or to a {@link KeyOrderProvider}, else {@link #comparing}.
     */
    public static KeyOrder of(final RawComparator<?> comparator) {
        final KeyOrder known = KNOWN.get(comparator.getClass());
        if (known != null) {
            return known;
        }
        return provided(comparator).orElseGet(() -> comparing(comparator));
    }

    /** The order of a comparator without prefixes: {@link KeyOrder.Strength#NONE}. */
    public static KeyOrder comparing(final RawComparator<?> comparator) {
        return new ComparatorOrder(comparator);
    }

    /** A broken provider costs its prefixes, not the job. */
    private static Optional<KeyOrder> provided(final RawComparator<?> comparator) {
        try {
            for (final KeyOrderProvider provider : ServiceLoader.load(KeyOrderProvider.class)) {
                final Optional<KeyOrder> order = provider.orderOf(comparator);
                if (order.isPresent()) {
                    return order;
                }
            }
        } catch (final ServiceConfigurationError e) {
            LOG.warn("A KeyOrderProvider cannot be loaded: sorting without prefixes", e);
        }
        return Optional.empty();
    }
}
