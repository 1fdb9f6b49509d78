// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A map output that is in the memory of other nodes: the file that says which, where an index would
 * be. The {@code file.out} beside it is empty, and without an index no stock handler takes it for
 * the output. Immutable.
 *
 * <p>The file: {@link #MAGIC}, the number of places, for each its epoch, port, the length of its
 * host's name and that name in ASCII, and the CRC32C of all that. All numbers are big-endian.
 *
 * @param places nodes that each have the whole output, 1 to {@link #MAX_COUNT}
 */
public record MapOutputPlaces(List<SegmentPlace> places) {
    /** The name of the file; what a map writes last. */
    public static final String FILE = "file.out.place";

    /** {@code SPWPLAC1}: what the file begins with. */
    public static final long MAGIC = 0x535057504C414331L;

    /** Offset of {@link #MAGIC}. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the number of places: four bytes. */
    public static final int COUNT_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** Offset of the first place. */
    public static final int PLACES_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** Offset of the node's epoch in a place. */
    public static final int EPOCH_OFFSET = 0;

    /** Offset of the node's port in a place: four bytes. */
    public static final int PORT_OFFSET = EPOCH_OFFSET + Long.BYTES;

    /** Offset of the node's host in a place: two bytes of length, then text. */
    public static final int HOST_OFFSET = PORT_OFFSET + Integer.BYTES;

    /** The bytes of the checksum at the end. */
    public static final int CHECKSUM_LENGTH = Integer.BYTES;

    /** The most places of one map output. */
    public static final int MAX_COUNT = SegmentPlaces.MAX_COUNT;

    private static final int MIN_PLACE_LENGTH = HOST_OFFSET + Short.BYTES;

    /** The longest file, in bytes. */
    public static final int MAX_LENGTH =
            PLACES_OFFSET
                    + MAX_COUNT * (MIN_PLACE_LENGTH + SegmentPlace.MAX_HOST_LENGTH)
                    + CHECKSUM_LENGTH;

    /**
     * Checks the number of places and copies the list.
     *
     * @throws IllegalArgumentException for none or too many
     */
    public MapOutputPlaces {
        places = List.copyOf(places);
        if (places.isEmpty() || places.size() > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "places=" + places.size() + ", expected 1 to " + MAX_COUNT);
        }
    }

    /** Writes the file; does not close {@code out}. */
    public void writeTo(final OutputStream out) throws IOException {
        final ByteBuffer encoded = ByteBuffer.allocate(MAX_LENGTH);
        encoded.putLong(MAGIC).putInt(places.size());
        for (final SegmentPlace place : places) {
            final byte[] host = place.address().host().getBytes(StandardCharsets.US_ASCII);
            encoded.putLong(place.epoch()).putInt(place.address().port());
            encoded.putShort((short) host.length).put(host);
        }
        encoded.putInt(checksumOf(encoded, encoded.position()));
        out.write(encoded.array(), 0, encoded.position());
    }

    private static int checksumOf(final ByteBuffer encoded, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(encoded.duplicate().position(0).limit(length));
        return (int) crc.getValue();
    }

    /**
     * Reads a file and checks all of it.
     *
     * @param encoded the whole file, from position 0 to its limit; consumed
     * @param name the file's name, for messages
     * @throws IOException when it is not such a file, or is damaged
     */
    public static MapOutputPlaces readFrom(final ByteBuffer encoded, final String name)
            throws IOException {
        final int end = encoded.limit() - CHECKSUM_LENGTH;
        if (end < PLACES_OFFSET || encoded.limit() > MAX_LENGTH) {
            throw corrupt(
                    name,
                    "length",
                    encoded.limit(),
                    PLACES_OFFSET + CHECKSUM_LENGTH + " to " + MAX_LENGTH);
        }
        if (encoded.getLong(MAGIC_OFFSET) != MAGIC) {
            throw corrupt(
                    name, "magic", encoded.getLong(MAGIC_OFFSET), MAGIC + ", which is SPWPLAC1");
        }
        final int checksum = checksumOf(encoded, end);
        if (encoded.getInt(end) != checksum) {
            throw corrupt(name, "checksum", encoded.getInt(end), "" + checksum);
        }
        final int count = encoded.getInt(COUNT_OFFSET);
        if (count < 1 || count > MAX_COUNT) {
            throw corrupt(name, "count", count, "1 to " + MAX_COUNT);
        }
        encoded.position(PLACES_OFFSET).limit(end);
        final List<SegmentPlace> places = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            places.add(readPlace(encoded, name));
        }
        if (encoded.hasRemaining()) {
            throw corrupt(name, "bytes after the places", encoded.remaining(), "0");
        }
        return new MapOutputPlaces(places);
    }

    private static SegmentPlace readPlace(final ByteBuffer in, final String name)
            throws IOException {
        if (in.remaining() < MIN_PLACE_LENGTH) {
            throw corrupt(name, "bytes of a place", in.remaining(), "at least " + MIN_PLACE_LENGTH);
        }
        final long epoch = in.getLong();
        final int port = in.getInt();
        final int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw corrupt(name, "length of a host", length, "at most " + in.remaining());
        }
        final byte[] host = new byte[length];
        in.get(host);
        try {
            final String text = new String(host, StandardCharsets.US_ASCII);
            return new SegmentPlace(new NodeAddress(text, port), epoch);
        } catch (final IllegalArgumentException e) {
            throw new IOException("Corrupt " + name + ": " + e.getMessage(), e);
        }
    }

    private static IOException corrupt(
            final String name, final String field, final long value, final String expected) {
        return new IOException(
                "Corrupt " + name + ": " + field + "=" + value + ", expected " + expected);
    }
}
