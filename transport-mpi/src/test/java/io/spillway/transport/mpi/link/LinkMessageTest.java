// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.channel.PieceSizes;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LinkMessageTest {
    private static ByteBuffer bytesOf(final LinkMessage message) {
        final ByteBuffer bytes =
                ByteBuffer.allocate(LinkMessage.HEADER_LENGTH + message.inlineLength());
        message.encode(bytes);
        return bytes.position(0);
    }

    @Test
    void readsWhatItWrites() throws Exception {
        final LinkMessage[] messages = {
            LinkMessage.of(LinkMessage.Kind.HELLO),
            LinkMessage.ready(0x5c1f08e2_01020304L, 3, 64, 16 << 20, 17),
            LinkMessage.open(7, 63, 2),
            LinkMessage.data(8, PieceSizes.MAX_INLINE, 4096, PieceSizes.MAX_BULK),
            LinkMessage.free(1 << 20, 256),
            LinkMessage.of(LinkMessage.Kind.CLOSE, -1),
        };
        for (final LinkMessage message : messages) {
            assertThat(LinkMessage.decode(bytesOf(message))).isEqualTo(message);
        }
    }

    @Test
    void waitsForTheRestOfAMessage() throws Exception {
        final ByteBuffer bytes = bytesOf(LinkMessage.data(8, 100, 0, 0));
        for (int length = 0; length < bytes.capacity(); length++) {
            assertThat(LinkMessage.decode(bytes.slice(0, length))).isNull();
        }
        assertThat(LinkMessage.decode(bytes)).isNotNull();
    }

    @Test
    void refusesWhatIsOutOfRange() {
        final ByteBuffer bytes = bytesOf(LinkMessage.of(LinkMessage.Kind.HELLO));
        assertThatThrownBy(() -> LinkMessage.decode(bytes.duplicate().put(0, (byte) 99)))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("link frame: type=99, expected 0 to 7");
        bytes.put(0, (byte) 0).put(1, (byte) 2);
        assertThatThrownBy(() -> LinkMessage.decode(bytes)).hasMessageContaining("version=2");
        bytes.put(1, (byte) 1).putInt(4, PieceSizes.MAX_INLINE + 1);
        assertThatThrownBy(() -> LinkMessage.decode(bytes))
                .hasMessageContaining("length=" + (PieceSizes.MAX_INLINE + 1));
    }

    /** The former release wrote 0 there; the next one begins with our version. */
    @Test
    void saysWhichVersionIsTheNewestAndTakesAnyOfTheOtherSide() throws Exception {
        final LinkMessage open = LinkMessage.open(7, 63, 2);
        final ByteBuffer bytes = bytesOf(open);
        assertThat(bytes.get(1)).isEqualTo((byte) 1);
        assertThat(bytes.get(2)).isEqualTo((byte) 1);
        for (final int newest : new int[] {0, 1, 2, 127}) {
            assertThat(LinkMessage.decode(bytes.put(2, (byte) newest))).isEqualTo(open);
        }
    }

    @Test
    void survivesAnyBytes() {
        final Random random = new Random(5);
        final byte[] bytes = new byte[LinkMessage.HEADER_LENGTH];
        int refused = 0;
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(bytes);
            try {
                LinkMessage.decode(ByteBuffer.wrap(bytes));
            } catch (final MalformedFrameException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(9_000);
    }
}
