// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.junit.jupiter.api.Test;

class KeyForecastTest {
    private final KeyOrder order = KeyOrders.of(WritableComparator.get(Text.class));

    /** Looked at whole, and in random pieces: the last key is the same. */
    @Property(tries = 200)
    void findsTheLastKeyHoweverTheBytesArrive(
            @ForAll @IntRange(min = 1, max = 300) final int records,
            @ForAll @IntRange(min = 0, max = 400) final int maxValue,
            @ForAll @IntRange(min = 16, max = 700) final int piece,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final TestSegment segment = TestSegment.random(random, records, maxValue, null);
        final int length = segment.bytes().length - SegmentChecksum.LENGTH;
        final KeyForecast whole = new KeyForecast(order);
        whole.scan(segment.bytes(), 0, length);
        final KeyForecast inPieces = new KeyForecast(order);
        for (int at = 0; at < length; at += piece) {
            inPieces.scan(segment.bytes(), at, Math.min(piece, length - at));
        }

        final String last = segment.records().get(records - 1).key();
        assertThat(whole.keyAt(0)).isEqualTo(prefixOf(last));
        // A key that lies across a border is not looked at: the one before it stands for it.
        assertThat(inPieces.keyAt(0)).isLessThanOrEqualTo(whole.keyAt(0));
        assertThat(inPieces.keyAt(0)).isGreaterThanOrEqualTo(0);
    }

    private static double prefixOf(final String key) {
        long prefix = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            prefix = prefix << Byte.SIZE | (i < key.length() ? key.charAt(i) : 0);
        }
        return prefix >>> 11;
    }

    @Test
    void keysGrowWithTheBytesThatWereAskedFor() throws IOException {
        final TestSegment segment =
                TestSegment.of(
                        List.of(
                                new TestSegment.Entry("b", "x".repeat(100)),
                                new TestSegment.Entry("c", "x".repeat(100)),
                                new TestSegment.Entry("d", "x".repeat(100))),
                        null);
        final KeyForecast forecast = new KeyForecast(order);
        forecast.scan(segment.bytes(), 0, 150);
        final double atB = forecast.keyAt(0);
        forecast.scan(segment.bytes(), 150, 100);

        assertThat(forecast.keyAt(250)).isGreaterThan(atB);
        assertThat(forecast.keyAt(1000)).isGreaterThan(forecast.keyAt(250));
    }

    /** Else a stream would be asked for all of its bytes before its second piece arrives. */
    @Test
    void theFirstPieceTellsHowFastKeysGrow() throws IOException {
        final TestSegment segment =
                TestSegment.of(
                        List.of(
                                new TestSegment.Entry("b", "x".repeat(100)),
                                new TestSegment.Entry("c", "x".repeat(100)),
                                new TestSegment.Entry("d", "x".repeat(100))),
                        null);
        final int length = segment.bytes().length - SegmentChecksum.LENGTH;
        final KeyForecast forecast = new KeyForecast(order);
        forecast.scan(segment.bytes(), 0, length);

        // Three keys in so many bytes: about one more in a third of that.
        assertThat(forecast.keyAt(2L * length)).isBetween(prefixOf("g"), prefixOf("i"));
    }

    /** Bytes that are no records are the merge's to complain of. */
    @Property(tries = 300)
    void anyBytesAreTaken(@ForAll final byte[] bytes, @ForAll final long seed) {
        final KeyForecast forecast = new KeyForecast(order);
        final Random random = new Random(seed);
        int at = 0;
        while (at < bytes.length) {
            final int length = Math.min(bytes.length - at, 1 + random.nextInt(20));
            forecast.scan(bytes, at, length);
            at += length;
        }

        assertThat(forecast.keyAt(at)).isNotNaN();
    }
}
