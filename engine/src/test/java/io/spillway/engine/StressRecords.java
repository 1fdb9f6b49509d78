// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * Records that say which attempt of which map wrote them and as the how many-th, so that what comes
 * out of a merge can be accounted for one by one. A value is one or more <em>items</em>: a combiner
 * puts the items of a key's values one behind the other.
 */
final class StressRecords {
    private static final int HEADER = 12;
    private static final int KEYS = 40;

    private StressRecords() {}

    /** What one attempt of a map has made: its runs, and its items by key in the map's order. */
    record Output(List<TestSegment> runs, Map<String, List<String>> items) {}

    /**
     * The output of a map's attempt.
     *
     * @param version other versions have other items
     */
    static Output output(
            final Random random,
            final int map,
            final int version,
            final int runs,
            final int records,
            final int filler,
            final CompressionCodec codec)
            throws IOException {
        final List<TestSegment> segments = new ArrayList<>();
        final Map<String, List<String>> items = new TreeMap<>();
        int number = 0;
        for (int run = 0; run < runs; run++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = runs == 1 ? records : random.nextInt(records + 1); i > 0; i--) {
                final String item =
                        item(map, version, number++, filler == 0 ? 0 : random.nextInt(filler));
                final String key = "key".repeat(random.nextInt(4)) + random.nextInt(KEYS);
                entries.add(new TestSegment.Entry(key, value(item)));
                items.computeIfAbsent(key, k -> new ArrayList<>()).add(item);
            }
            segments.add(TestSegment.of(entries, codec));
        }
        return new Output(List.copyOf(segments), items);
    }

    private static String item(
            final int map, final int version, final int number, final int filler) {
        final StringBuilder item = new StringBuilder(HEADER + filler);
        item.append(String.format("%03d%01d%04d%04d", map, version, number, filler));
        for (int i = 0; i < filler; i++) {
            item.append((char) ('a' + (number + i) % 26));
        }
        return item.toString();
    }

    /** As a Text writes it. */
    private static String value(final String items) throws IOException {
        final DataOutputBuffer out = new DataOutputBuffer();
        new Text(items).write(out);
        return new String(out.getData(), 0, out.getLength(), StandardCharsets.ISO_8859_1);
    }

    /** The items of a value, in their order. */
    static List<String> items(final String value) throws IOException {
        final DataInputStream in =
                new DataInputStream(
                        new ByteArrayInputStream(value.getBytes(StandardCharsets.ISO_8859_1)));
        final int length = WritableUtils.readVInt(in);
        final String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        if (text.length() != length) {
            throw new AssertionError("a value of " + text.length() + " bytes, not " + length);
        }
        final List<String> items = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            final int filler = Integer.parseInt(text.substring(start + 8, start + HEADER));
            items.add(text.substring(start, start + HEADER + filler));
            start += HEADER + filler;
        }
        return items;
    }

    /** The map that wrote an item. */
    static int mapOf(final String item) {
        return Integer.parseInt(item.substring(0, 3));
    }

    /**
     * What came out of a merge: the items of each map, by key.
     *
     * @throws AssertionError when keys are not in order, or the values of a key not in the order of
     *     the maps
     */
    static Map<Integer, Map<String, List<String>>> byMap(final List<TestSegment.Entry> read)
            throws IOException {
        final Map<Integer, Map<String, List<String>>> byMap = new HashMap<>();
        String lastKey = "";
        int lastMap = 0;
        for (final TestSegment.Entry entry : read) {
            final int order = entry.key().compareTo(lastKey);
            if (order < 0) {
                throw new AssertionError(entry.key() + " after " + lastKey);
            }
            lastKey = entry.key();
            lastMap = order > 0 ? 0 : lastMap;
            for (final String item : items(entry.value())) {
                final int map = mapOf(item);
                if (map < lastMap) {
                    throw new AssertionError(
                            "with key " + lastKey + " map " + map + " after map " + lastMap);
                }
                lastMap = map;
                byMap.computeIfAbsent(map, number -> new TreeMap<>())
                        .computeIfAbsent(entry.key(), key -> new ArrayList<>())
                        .add(item);
            }
        }
        return byMap;
    }
}
