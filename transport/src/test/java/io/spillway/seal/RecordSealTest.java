// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Records open in the order in which they were sealed, unchanged, and in no other way. */
final class RecordSealTest {
    private static final byte[] SECRET = new byte[SealKeys.SECRET_LENGTH];

    private static final List<Protection> KEYED = List.of(Protection.INTEGRITY, Protection.PRIVACY);

    @Provide
    Arbitrary<Protection> keyed() {
        return Arbitraries.of(KEYED);
    }

    private static SealKeys keys(final Protection protection) {
        return SealKeys.of(protection, SECRET);
    }

    private static SealKeys otherKeys(final Protection protection) {
        final byte[] other = SECRET.clone();
        other[3] = 1;
        return SealKeys.of(protection, other);
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
    void everyTurnedBitIsNoticed(
            @ForAll @Size(min = 1, max = 40) final byte[] bytes,
            @ForAll("keyed") final Protection protection)
            throws MalformedFrameException {
        final SealKeys keys = keys(protection);
        final byte[] record = seal(keys.records(), bytes);
        assertThat(open(keys.records(), record)).isEqualTo(bytes);
        for (int bit = 0; bit < record.length * Byte.SIZE; bit++) {
            final byte[] changed = record.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertRefused(keys.records(), changed);
        }
    }

    @Property(tries = 50)
    void recordsOpenInTheirOrderOnly(
            @ForAll @IntRange(min = 0, max = 4) final int first,
            @ForAll @IntRange(min = 0, max = 4) final int second,
            @ForAll("keyed") final Protection protection)
            throws MalformedFrameException {
        final SealKeys keys = keys(protection);
        final RecordSeal sealing = keys.records();
        final byte[][] records = new byte[5][];
        for (int i = 0; i < records.length; i++) {
            records[i] = seal(sealing, new byte[] {7, 7, 7});
        }
        final RecordSeal opening = keys.records();
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
        for (final Protection protection : KEYED) {
            assertRefused(
                    otherKeys(protection).records(),
                    seal(keys(protection).records(), new byte[10]));
        }
        assertRefused(
                keys(Protection.PRIVACY).records(),
                seal(keys(Protection.INTEGRITY).records(), new byte[10]));
    }

    @Example
    void privacyAloneHidesTheBytes() {
        final byte[] bytes = new byte[100];
        Arrays.fill(bytes, (byte) 7);
        final String hidden = "\u0007".repeat(8);
        assertThat(text(seal(keys(Protection.INTEGRITY).records(), bytes))).contains(hidden);
        assertThat(text(seal(keys(Protection.PRIVACY).records(), bytes))).doesNotContain(hidden);
    }

    private static String text(final byte[] record) {
        return new String(record, StandardCharsets.ISO_8859_1);
    }

    /** Also where a record of the former key is sealed after one of the next. */
    @Example
    void afterSoManyRecordsAnotherKeyFollows() throws MalformedFrameException {
        for (final Protection protection : KEYED) {
            final RecordSeal sealing = new RecordSeal(keys(protection), 3);
            final long third = reserveThird(sealing);
            final byte[] fourth = seal(sealing, new byte[] {4});
            final ByteBuffer out = ByteBuffer.allocate(1 + RecordSeal.OVERHEAD);
            sealing.seal(third, ByteBuffer.wrap(new byte[] {3}), out);
            final RecordSeal opening = new RecordSeal(keys(protection), 3);
            final RecordSeal sameKey = new RecordSeal(keys(protection), 4);
            opening.reserve(2L * RecordSeal.MAX_LENGTH);
            sameKey.reserve(2L * RecordSeal.MAX_LENGTH);
            assertThat(open(opening, out.array())).containsExactly(3);
            assertThat(open(opening, fourth)).containsExactly(4);
            assertThat(open(sameKey, out.array())).containsExactly(3);
            assertRefused(sameKey, fourth);
        }
    }

    private static long reserveThird(final RecordSeal sealing) {
        sealing.reserve(2L * RecordSeal.MAX_LENGTH);
        return sealing.reserve(1);
    }

    @Example
    void aSessionOfVersion13EndsWithItsKey() {
        final RecordSeal seal = SealKeys.ofVersion13(new byte[SealKeys.LENGTH]).records();
        final ByteBuffer out = ByteBuffer.allocate(1 + RecordSeal.OVERHEAD);
        seal.seal((1L << 32) - 1, ByteBuffer.wrap(new byte[1]), out);
        assertThatThrownBy(() -> seal.seal(1L << 32, ByteBuffer.wrap(new byte[1]), out.clear()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("records of a session of version 13=4294967296");
    }

    @Example
    void reservedRecordsMayBeSealedLater() throws MalformedFrameException {
        final SealKeys keys = keys(Protection.PRIVACY);
        final RecordSeal sealing = keys.records();
        final long reserved = sealing.reserve(RecordSeal.MAX_LENGTH + 1L);
        final byte[] third = seal(sealing, new byte[] {3});
        final byte[] first = new byte[RecordSeal.MAX_LENGTH];
        Arrays.fill(first, (byte) 1);
        final ByteBuffer out = ByteBuffer.allocate((int) RecordSeal.sealedLength(first.length + 1));
        sealing.seal(reserved, ByteBuffer.wrap(first), out);
        sealing.seal(reserved + 1, ByteBuffer.wrap(new byte[] {2}), out);
        assertThat(out.hasRemaining()).isFalse();
        final RecordSeal opening = keys.records();
        final int end = first.length + RecordSeal.OVERHEAD;
        assertThat(open(opening, Arrays.copyOf(out.array(), end))).isEqualTo(first);
        assertThat(open(opening, Arrays.copyOfRange(out.array(), end, out.capacity())))
                .containsExactly(2);
        assertThat(open(opening, third)).containsExactly(3);
    }

    @Example
    void aRecordIsTheSameWhereItIsSealedInPlace() {
        for (final Protection protection : KEYED) {
            final byte[] bytes = new byte[1000];
            Arrays.fill(bytes, (byte) 5);
            final byte[] record = seal(keys(protection).records(), bytes);
            final ByteBuffer place = ByteBuffer.allocateDirect(record.length);
            place.put(RecordSeal.BYTES_OFFSET, bytes);
            keys(protection).records().sealInPlace(0, place);
            assertThat(place.equals(ByteBuffer.wrap(record))).isTrue();
        }
    }

    @Example
    void refusesLengthsOutOfRange() {
        for (final int length : new int[] {0, -1, RecordSeal.MAX_LENGTH + 1}) {
            assertThatThrownBy(() -> RecordSeal.checkLength(length))
                    .hasMessage("sealed frame: length=" + length + ", expected 1 to 16384");
        }
    }
}
