// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The placement service's answer to a {@link NodeReport}. Immutable.
 *
 * @param changes to the jobs that the node knows
 * @param wantsListing whether the next report has to list all outputs that the node holds: the
 *     service does not know them
 * @param intervalMillis after which the next report is due
 */
public record NodeOrders(TableChanges changes, boolean wantsListing, int intervalMillis) {
    /** The shortest interval. */
    public static final int MIN_INTERVAL_MILLIS = 10;

    /** The longest interval: an hour. */
    public static final int MAX_INTERVAL_MILLIS = 3_600_000;

    /** Checks the fields. */
    public NodeOrders {
        Objects.requireNonNull(changes, "changes");
        if (intervalMillis < MIN_INTERVAL_MILLIS || intervalMillis > MAX_INTERVAL_MILLIS) {
            throw new IllegalArgumentException(
                    "intervalMillis="
                            + intervalMillis
                            + ", expected "
                            + MIN_INTERVAL_MILLIS
                            + " to "
                            + MAX_INTERVAL_MILLIS);
        }
    }

    /** The same with other changes of the table. */
    public NodeOrders with(final TableChanges other) {
        return new NodeOrders(other, wantsListing, intervalMillis);
    }

    /**
     * The whole message.
     *
     * @param version of the report that this answers
     */
    public ByteBuffer encode(final int version) {
        final FrameWriter out = MessageKind.ORDERS.writer(version);
        changes.encode(out, version);
        out.flag(wantsListing).int32(intervalMillis);
        return out.finish();
    }

    /** Reads a message; its position stays. */
    public static NodeOrders decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.ORDERS.reader(message);
        final TableChanges changes = TableChanges.decode(in, MessageKind.versionOf(message));
        final boolean wantsListing = in.flag("wantsListing");
        final int interval = in.int32("intervalMillis", MIN_INTERVAL_MILLIS, MAX_INTERVAL_MILLIS);
        in.end();
        return new NodeOrders(changes, wantsListing, interval);
    }
}
