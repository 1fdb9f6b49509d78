// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.apache.hadoop.io.RawComparator;
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

    private KeyOrders() {}

    /**
     * The order of a comparator: with prefixes where its class is exactly one whose byte order is
     * known here or to a {@link KeyOrderProvider}, else {@link #comparing}.
     */
    public static KeyOrder of(final RawComparator<?> comparator) {
        final KeyOrder known = known(comparator.getClass());
        if (known != null) {
            return known;
        }
        final Optional<KeyOrder> provided = provided(comparator);
        return provided.isPresent() ? provided.get() : comparing(comparator);
    }

    /**
     * Null for a class whose byte order is not known. By names, so that a task loads the classes of
     * its own key only.
     */
    private static KeyOrder known(final Class<?> comparator) {
        if (comparator.getClassLoader() != RawComparator.class.getClassLoader()) {
            return null;
        }
        return switch (comparator.getName()) {
            case "org.apache.hadoop.io.Text$Comparator" -> new ContentOrder.AfterVInt();
            case "org.apache.hadoop.io.BytesWritable$Comparator" -> new ContentOrder.AfterInt();
            case "org.apache.hadoop.io.BooleanWritable$Comparator" -> new ContentOrder.Plain();
            case "org.apache.hadoop.io.MD5Hash$Comparator" -> new ContentOrder.Digest();
            case "org.apache.hadoop.io.IntWritable$Comparator" -> new FixedOrder.OfInt();
            case "org.apache.hadoop.io.LongWritable$Comparator" -> new FixedOrder.OfLong();
            case "org.apache.hadoop.io.LongWritable$DecreasingComparator" ->
                    new FixedOrder.OfLongDecreasing();
            case "org.apache.hadoop.io.ShortWritable$Comparator" -> new FixedOrder.OfShort();
            case "org.apache.hadoop.io.ByteWritable$Comparator" -> new FixedOrder.OfByte();
            case "org.apache.hadoop.io.FloatWritable$Comparator" -> new FixedOrder.OfFloat();
            case "org.apache.hadoop.io.DoubleWritable$Comparator" -> new FixedOrder.OfDouble();
            case "org.apache.hadoop.io.NullWritable$Comparator" -> new FixedOrder.OfNothing();
            default -> null;
        };
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
