// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class MapOutputPlacesTest {
    private static final String NAME = "/a/file.out.place";
    private static final SegmentPlace PLACE =
            new SegmentPlace(new NodeAddress("node7.example", 13562), 1_700_000_000_123L);

    private static byte[] encoded(final SegmentPlace... places) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        new MapOutputPlaces(List.of(places)).writeTo(out);
        return out.toByteArray();
    }

    private static List<SegmentPlace> read(final byte[] bytes) throws IOException {
        return MapOutputPlaces.readFrom(ByteBuffer.wrap(bytes), NAME).places();
    }

    private static SegmentPlace[] places(final int count, final Random random) {
        final SegmentPlace[] places = new SegmentPlace[count];
        for (int i = 0; i < count; i++) {
            final byte[] host = new byte[1 + random.nextInt(SegmentPlace.MAX_HOST_LENGTH)];
            for (int at = 0; at < host.length; at++) {
                host[at] = (byte) ('!' + random.nextInt('~' - '!' + 1));
            }
            final NodeAddress address =
                    new NodeAddress(
                            new String(host, StandardCharsets.US_ASCII),
                            1 + random.nextInt(65_535));
            places[i] = new SegmentPlace(address, random.nextLong());
        }
        return places;
    }

    @Property(tries = 100)
    void readsWhatItWrote(
            @ForAll @IntRange(min = 1, max = MapOutputPlaces.MAX_COUNT) final int count,
            @ForAll final long seed)
            throws IOException {
        final SegmentPlace[] places = places(count, new Random(seed));
        final byte[] bytes = encoded(places);
        assertThat(bytes).hasSizeLessThanOrEqualTo(MapOutputPlaces.MAX_LENGTH);
        assertThat(read(bytes)).containsExactly(places);
    }

    @Test
    void readsTheLongestNamesAndExtremeNumbers() throws IOException {
        final String host = "h".repeat(SegmentPlace.MAX_HOST_LENGTH);
        final SegmentPlace longest = new SegmentPlace(new NodeAddress(host, 65_535), -1);
        final byte[] bytes = encoded(longest, longest, longest);
        assertThat(bytes).hasSize(MapOutputPlaces.MAX_LENGTH);
        assertThat(read(bytes)).containsExactly(longest, longest, longest);
    }

    @Property(tries = 100)
    void refusesEveryTruncationAndExtension(
            @ForAll @IntRange(min = 1, max = MapOutputPlaces.MAX_COUNT) final int count,
            @ForAll final long seed)
            throws IOException {
        final byte[] bytes = encoded(places(count, new Random(seed)));
        for (int length = 0; length < bytes.length; length++) {
            requireRefused(Arrays.copyOf(bytes, length));
        }
        requireRefused(Arrays.copyOf(bytes, bytes.length + 1));
    }

    @Property(tries = 100)
    void refusesEveryBitFlip(
            @ForAll @IntRange(min = 1, max = MapOutputPlaces.MAX_COUNT) final int count,
            @ForAll final long seed)
            throws IOException {
        final byte[] bytes = encoded(places(count, new Random(seed)));
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            requireRefused(bytes);
            bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        }
        assertThat(read(bytes)).hasSize(count);
    }

    /** A right checksum is no proof of sense. */
    @Property(tries = 100)
    void whateverHasARightChecksumIsReadOrRefused(@ForAll final byte[] garbage) throws IOException {
        final byte[] bytes = Arrays.copyOf(encoded(PLACE), Math.max(20, garbage.length + 12));
        System.arraycopy(garbage, 0, bytes, 8, Math.min(garbage.length, bytes.length - 12));
        seal(bytes);
        try {
            assertThat(read(bytes)).hasSizeBetween(1, MapOutputPlaces.MAX_COUNT);
        } catch (final IOException e) {
            assertThat(e).hasMessageContaining("Corrupt " + NAME);
        }
    }

    private static void requireRefused(final byte[] bytes) {
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Corrupt " + NAME + ": ")
                .hasMessageContaining("expected");
    }

    /** Gives changed bytes the checksum of what they are now. */
    private static byte[] seal(final byte[] bytes) {
        final int end = bytes.length - MapOutputPlaces.CHECKSUM_LENGTH;
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, end);
        ByteBuffer.wrap(bytes).putInt(end, (int) crc.getValue());
        return bytes;
    }

    private static byte[] sealedWith(final int offset, final int value) throws IOException {
        final byte[] bytes = encoded(PLACE);
        ByteBuffer.wrap(bytes).putInt(offset, value);
        return seal(bytes);
    }

    @Test
    void namesTheFieldThatIsWrong() throws IOException {
        final int port = MapOutputPlaces.PLACES_OFFSET + MapOutputPlaces.PORT_OFFSET;
        assertThatThrownBy(() -> read(sealedWith(MapOutputPlaces.COUNT_OFFSET, 0)))
                .hasMessageContaining("count=0, expected 1 to 3");
        assertThatThrownBy(() -> read(sealedWith(MapOutputPlaces.COUNT_OFFSET, 4)))
                .hasMessageContaining("count=4");
        assertThatThrownBy(() -> read(sealedWith(MapOutputPlaces.COUNT_OFFSET, 2)))
                .hasMessageContaining("bytes of a place=0");
        assertThatThrownBy(() -> read(sealedWith(port, 0))).hasMessageContaining("port=0");
        assertThatThrownBy(() -> read(sealedWith(port, 70_000))).hasMessageContaining("port=70000");
        assertThatThrownBy(() -> read(sealedWith(0, 7))).hasMessageContaining("magic=");

        final byte[] longHost = encoded(PLACE);
        final int host = MapOutputPlaces.PLACES_OFFSET + MapOutputPlaces.HOST_OFFSET;
        ByteBuffer.wrap(longHost).putShort(host, (short) 14);
        assertThatThrownBy(() -> read(seal(longHost)))
                .hasMessageContaining("length of a host=14, expected at most 13");
        ByteBuffer.wrap(longHost).putShort(host, (short) 12);
        assertThatThrownBy(() -> read(seal(longHost))).hasMessageContaining("after the places=1");
        ByteBuffer.wrap(longHost).putShort(host, (short) 13).put(host + 2, (byte) ' ');
        assertThatThrownBy(() -> read(seal(longHost))).hasMessageContaining("host= ode7.example");
    }

    @Test
    void hasOneToThreePlaces() {
        final List<SegmentPlace> places = new ArrayList<>();
        assertThatThrownBy(() -> new MapOutputPlaces(places))
                .isInstanceOf(IllegalArgumentException.class);
        for (int i = 0; i < 4; i++) {
            places.add(PLACE);
        }
        assertThatThrownBy(() -> new MapOutputPlaces(places))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("places=4");
    }
}
