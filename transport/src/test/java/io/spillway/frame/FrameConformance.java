// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What the frames of every protocol keep to: their bytes stay as they were recorded, they read back
 * as they were written, and whatever else comes is a frame or a clear error.
 */
public abstract class FrameConformance {
    private static final int ROUNDS = 20_000;
    private static final int MAX_GARBAGE = 200;

    /** Reads a whole frame, its header too. */
    @FunctionalInterface
    public interface Decoder {
        /** The frame at the position of {@code bytes}. */
        Object decode(ByteBuffer bytes) throws MalformedFrameException;
    }

    /**
     * A frame of the protocol.
     *
     * @param frame what it says
     * @param encoded its bytes, as they are written today
     * @param recorded its bytes in hexadecimal digits, as they were written by the release that
     *     introduced this layout
     * @param decoder reads it
     */
    public record Sample(Object frame, ByteBuffer encoded, String recorded, Decoder decoder) {}

    /** A sample of each layout. */
    protected abstract List<Sample> samples();

    /** Whether the bytes before the end of a frame are a frame that has not come whole. */
    protected boolean waitsForTheRest() {
        return false;
    }

    private static byte[] bytesOf(final Sample sample) {
        final byte[] bytes = new byte[sample.encoded().remaining()];
        sample.encoded().duplicate().get(bytes);
        return bytes;
    }

    @Test
    void theBytesAreThoseRecorded() {
        for (final Sample sample : samples()) {
            assertThat(HexFormat.of().formatHex(bytesOf(sample)))
                    .as("%s", sample.frame())
                    .isEqualTo(sample.recorded());
        }
    }

    @Test
    void framesReadBack() throws MalformedFrameException {
        for (final Sample sample : samples()) {
            final ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(sample.recorded()));
            assertThat(sample.decoder().decode(bytes)).isEqualTo(sample.frame());
        }
    }

    @Test
    void whatIsCutOffIsNoFrame() throws MalformedFrameException {
        for (final Sample sample : samples()) {
            final byte[] bytes = bytesOf(sample);
            for (int length = 0; length < bytes.length; length++) {
                final ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
                if (waitsForTheRest()) {
                    assertThat(sample.decoder().decode(cut)).isNull();
                    continue;
                }
                assertThatThrownBy(() -> sample.decoder().decode(cut))
                        .as("%s of %s bytes of %s", length, bytes.length, sample.frame())
                        .isInstanceOf(MalformedFrameException.class)
                        .hasMessageContaining("expected");
            }
        }
    }

    @Test
    void aTurnedBitMakesAFrameOrAnError() {
        for (final Sample sample : samples()) {
            final byte[] bytes = bytesOf(sample);
            for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
                final byte[] turned = bytes.clone();
                turned[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                decodesOrRefuses(sample, turned);
            }
        }
    }

    /** Begins with the header of a frame, so that the fields are reached. */
    @Test
    void garbageIsAFrameOrAnError() {
        final Random random = new Random(7);
        final List<Sample> samples = samples();
        for (int round = 0; round < ROUNDS; round++) {
            final Sample sample = samples.get(round % samples.size());
            final byte[] garbage = new byte[random.nextInt(MAX_GARBAGE)];
            random.nextBytes(garbage);
            final byte[] bytes = bytesOf(sample);
            final int kept = Math.min(random.nextInt(bytes.length + 1), garbage.length);
            System.arraycopy(bytes, 0, garbage, 0, kept);
            decodesOrRefuses(sample, garbage);
        }
    }

    private static void decodesOrRefuses(final Sample sample, final byte[] bytes) {
        try {
            sample.decoder().decode(ByteBuffer.wrap(bytes));
        } catch (final MalformedFrameException e) {
            assertThat(e).hasMessageContaining(" frame: ").hasMessageContaining(", expected ");
        } catch (final RuntimeException e) {
            fail("expected a frame or a MalformedFrameException of " + sample.frame(), e);
        }
    }
}
