// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.channel.PieceSizes;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class ParcelTest {
    private static ByteBuffer parcel(final int inline, final int bulk, final int tag) {
        final ByteBuf bytes = Unpooled.buffer(PieceSizes.MAX_MESSAGE + 1);
        Parcel.begin(bytes, Parcel.Kind.DATA, 11, 22);
        bytes.writeZero(inline);
        Parcel.end(bytes, bulk, tag);
        return bytes.nioBuffer();
    }

    @Test
    void readsWhatItWrites() throws Exception {
        assertThat(Parcel.decode(parcel(PieceSizes.MAX_INLINE, PieceSizes.MAX_BULK, 77)))
                .isEqualTo(
                        new Parcel(
                                Parcel.Kind.DATA,
                                11,
                                22,
                                PieceSizes.MAX_INLINE,
                                PieceSizes.MAX_BULK,
                                77));
        assertThat(Parcel.decode(parcel(0, 0, 0)).inlineLength()).isZero();
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertRefused(parcel(PieceSizes.MAX_INLINE + 1, 0, 0), "length=");
        assertRefused(parcel(0, PieceSizes.MAX_BULK + 1, 77), "bulk length=");
        assertRefused(parcel(0, -1, 77), "bulk length=-1");
        assertRefused(parcel(0, 1, Postman.PARCEL_TAG), "bulk tag=1");
        assertRefused(parcel(0, 0, 0).put(0, (byte) 5), "parcel frame: type=5, expected 0 to 4");
        assertRefused(parcel(0, 0, 0).put(1, (byte) 9), "version=9");
        assertRefused(
                parcel(10, 0, 0).putInt(4, 11), "DATA frame: body length=11, expected 10 to 10");
        assertRefused(ByteBuffer.allocate(3), "length=3");
    }

    /** The former release wrote 0 there; the next one begins with our version. */
    @Test
    void saysWhichVersionIsTheNewestAndTakesAnyOfTheOtherRank() throws Exception {
        final ByteBuffer bytes = parcel(0, 0, 0);
        assertThat(bytes.get(1)).isEqualTo((byte) 1);
        assertThat(bytes.get(2)).isEqualTo((byte) 1);
        for (final int newest : new int[] {0, 1, 2, 127}) {
            assertThat(Parcel.decode(bytes.put(2, (byte) newest)).to()).isEqualTo(11);
        }
    }

    private static void assertRefused(final ByteBuffer bytes, final String message) {
        assertThatThrownBy(() -> Parcel.decode(bytes))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining(message);
    }
}
