// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import io.spillway.frame.FrameConformance;
import java.nio.ByteBuffer;
import java.util.List;

final class LinkConformanceTest extends FrameConformance {
    private static Sample sample(final LinkMessage message, final String recorded) {
        final ByteBuffer bytes =
                ByteBuffer.allocate(LinkMessage.HEADER_LENGTH + message.inlineLength());
        message.encode(bytes);
        return new Sample(message, bytes.rewind(), recorded, LinkMessage::decode);
    }

    @Override
    protected boolean waitsForTheRest() {
        return true;
    }

    @Override
    protected List<Sample> samples() {
        return List.of(
                sample(LinkMessage.of(LinkMessage.Kind.HELLO), "000101" + "00".repeat(33)),
                sample(
                        LinkMessage.ready(0x5c1f08e2_01020304L, 3, 64, 16 << 20, 2),
                        "01010100000000020000000000000003000000400100000000000000"
                                + "5c1f08e2010203040000"),
                sample(LinkMessage.of(LinkMessage.Kind.BUSY), "020101" + "00".repeat(33)),
                sample(
                        LinkMessage.open(7, 63, 2),
                        "0301010000000000000000070000003f00000002" + "00".repeat(16)),
                sample(
                        LinkMessage.of(LinkMessage.Kind.OPENED, 7),
                        "040101000000000000000007" + "00".repeat(24)),
                sample(
                        LinkMessage.data(8, 3, 4096, 256),
                        "05010100000000030000000800000000000000000000010000001000"
                                + "00".repeat(11)),
                sample(
                        LinkMessage.free(1 << 20, 256),
                        "06010100000000000000000000000000000000000000010000100000"
                                + "00".repeat(8)),
                sample(
                        LinkMessage.of(LinkMessage.Kind.CLOSE, -1),
                        "0701010000000000ffffffff" + "00".repeat(24)));
    }
}
