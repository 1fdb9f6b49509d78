// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.buffer.ByteBuf;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.nio.charset.StandardCharsets;

/** Recognises a stock handler, which answers a HELLO in HTTP. Used by one thread. */
final class HttpAnswer {
    private static final String PROTOCOL = "HTTP/1.";
    private static final String TOO_MANY_REQUESTS = "429";
    private static final int STATUS_OFFSET = "HTTP/1.1 ".length();
    private static final int LENGTH = STATUS_OFFSET + TOO_MANY_REQUESTS.length();

    private final byte[] bytes = new byte[LENGTH];
    private int length;

    /** Takes the first bytes of an answer, where they may be HTTP. */
    boolean mayBe(final ByteBuf in) {
        if (length == 0
                && (!in.isReadable() || in.getByte(in.readerIndex()) != PROTOCOL.charAt(0))) {
            return false;
        }
        final int count = Math.min(in.readableBytes(), LENGTH - length);
        in.readBytes(bytes, length, count);
        length += count;
        return true;
    }

    boolean hasBegun() {
        return length > 0;
    }

    boolean isWhole() {
        return length == LENGTH;
    }

    FetchException toException(final NodeAddress address) {
        final String text = new String(bytes, 0, length, StandardCharsets.US_ASCII);
        if (!text.startsWith(PROTOCOL)) {
            return new FetchException(
                    Reason.PROTOCOL,
                    address + ": the answer to HELLO is neither Spillway nor HTTP");
        }
        if (text.startsWith(TOO_MANY_REQUESTS, STATUS_OFFSET)) {
            return new FetchException(
                    Reason.BUSY,
                    address + ": mapreduce.shuffle.max.connections of the node is exceeded");
        }
        return new FetchException(
                Reason.NOT_SPILLWAY, address + ": a stock shuffle handler answered HELLO in HTTP");
    }
}
