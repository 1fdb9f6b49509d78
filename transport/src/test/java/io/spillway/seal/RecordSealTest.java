// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Records open in the order in which they were sealed, unchanged, and in no other way. */
final class RecordSealTest {
    private static final byte[] KEY = new byte[SessionKeys.LENGTH];
    private static final byte[] ANOTHER = new byte[SessionKeys.LENGTH];

    static {
        ANOTHER[3] = 1;
    }

    private static byte[] seal(final RecordSeal seal, final byte[] bytes) {
        final ByteBuffer out = ByteBuffer.allocate(bytes.length + RecordSeal.OVERHEAD);
        seal.seal(seal.reserve(bytes.length), ByteBuffer.wrap(bytes), out);
        assertThat(out.hasRemaining()).isFalse();
        return out.array();
    }

    private static byte[] open(final RecordSeal seal, final byte[] record)
            throws MalformedFrameException {
        final ByteBuffer in = ByteBuffer.wrap(record);
        final int length = in.getInt();
        RecordSeal.checkLength(length);
        if (in.remaining() != length + RecordSeal.TAG_LENGTH) {
            throw new MalformedFrameException("another length than that of the record");
        }
        final byte[] sealed = record.clone();
        seal.open(sealed, in.position(), length);
        return Arrays.copyOfRange(sealed, in.position(), in.position() + length);
    }

    private static void assertRefused(final RecordSeal seal, final byte[] record) {
        assertThatThrownBy(() -> open(seal, record)).isInstanceOf(MalformedFrameException.class);
    }

    @Property(tries = 50)
    void everyTurnedBitIsNoticed(@ForAll @Size(min = 1, max = 40) final byte[] bytes)
            throws MalformedFrameException {
        final byte[] record = seal(new RecordSeal(KEY), bytes);
        assertThat(open(new RecordSeal(KEY), record)).isEqualTo(bytes);
        for (int bit = 0; bit < record.length * Byte.SIZE; bit++) {
            final byte[] changed = record.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertRefused(new RecordSeal(KEY), changed);
        }
    }

    @Property(tries = 50)
    void recordsOpenInTheirOrderOnly(
            @ForAll @IntRange(min = 0, max = 4) final int first,
            @ForAll @IntRange(min = 0, max = 4) final int second)
            throws MalformedFrameException {
        final RecordSeal sealing = new RecordSeal(KEY);
        final byte[][] records = new byte[5][];
        for (int i = 0; i < records.length; i++) {
            records[i] = seal(sealing, new byte[] {7, 7, 7});
        }
        final RecordSeal opening = new RecordSeal(KEY);
        if (first != 0) {
            assertRefused(opening, records[first]);
            return;
        }
        open(opening, records[0]);
        if (second == 1) {
            assertThat(open(opening, records[1])).containsExactly(7, 7, 7);
        } else {
            assertRefused(opening, records[second]);
        }
    }

    @Example
    void recordsOfAnotherSessionOrDirectionDoNotOpen() {
        assertRefused(new RecordSeal(ANOTHER), seal(new RecordSeal(KEY), new byte[10]));
    }

    @Example
    void reservedRecordsMayBeSealedLater() throws MalformedFrameException {
        final RecordSeal sealing = new RecordSeal(KEY);
        final long reserved = sealing.reserve(RecordSeal.MAX_LENGTH + 1L);
        final byte[] third = seal(sealing, new byte[] {3});
        final byte[] first = new byte[RecordSeal.MAX_LENGTH];
        Arrays.fill(first, (byte) 1);
        final ByteBuffer out = ByteBuffer.allocate((int) RecordSeal.sealedLength(first.length + 1));
        sealing.seal(reserved, ByteBuffer.wrap(first), out);
        sealing.seal(reserved + 1, ByteBuffer.wrap(new byte[] {2}), out);
        assertThat(out.hasRemaining()).isFalse();
        final RecordSeal opening = new RecordSeal(KEY);
        final int end = first.length + RecordSeal.OVERHEAD;
        assertThat(open(opening, Arrays.copyOf(out.array(), end))).isEqualTo(first);
        assertThat(open(opening, Arrays.copyOfRange(out.array(), end, out.capacity())))
                .containsExactly(2);
        assertThat(open(opening, third)).containsExactly(3);
    }

    @Example
    void refusesLengthsOutOfRange() {
        for (final int length : new int[] {0, -1, RecordSeal.MAX_LENGTH + 1}) {
            assertThatThrownBy(() -> RecordSeal.checkLength(length))
                    .hasMessage("sealed frame: length=" + length + ", expected 1 to 16384");
        }
    }
}
