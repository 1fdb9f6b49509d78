// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.failure.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;

/**
 * What one part file of an output holds.
 *
 * @param part its name
 * @param records how many records
 * @param bytes of keys and values
 * @param content a checksum that does not depend on the order of records
 * @param sequence a checksum that does
 * @param sorted whether the keys are in order
 */
public record PartDigest(
        String part, long records, long bytes, String content, String sequence, boolean sorted) {
    private static final String MARK = "digest";
    private static final int FIELDS = 7;

    /** Reads what the digest tool has printed. */
    static List<PartDigest> parse(final List<String> lines) {
        final List<PartDigest> parts = new ArrayList<>();
        for (final String line : lines) {
            final String[] fields = line.split("\t", -1);
            if (fields.length == FIELDS && MARK.equals(fields[0])) {
                parts.add(
                        new PartDigest(
                                fields[1],
                                Long.parseLong(fields[2]),
                                Long.parseLong(fields[3]),
                                fields[4],
                                fields[5],
                                Boolean.parseBoolean(fields[6])));
            }
        }
        if (parts.isEmpty()) {
            throw new CommandException("the output has no part file");
        }
        return List.copyOf(parts);
    }

    /** Whether two outputs have the same records in each part, in any order. */
    static boolean sameRecords(final List<PartDigest> one, final List<PartDigest> other) {
        return allMatch(one, other, PartDigest::sameRecords);
    }

    /** Whether two outputs have the same records in each part, in the same order. */
    static boolean identical(final List<PartDigest> one, final List<PartDigest> other) {
        return sameRecords(one, other)
                && allMatch(one, other, (a, b) -> a.sequence.equals(b.sequence));
    }

    private static boolean allMatch(
            final List<PartDigest> one,
            final List<PartDigest> other,
            final BiPredicate<PartDigest, PartDigest> same) {
        return one.size() == other.size()
                && IntStream.range(0, one.size())
                        .allMatch(index -> same.test(one.get(index), other.get(index)));
    }

    private boolean sameRecords(final PartDigest other) {
        return part.equals(other.part)
                && records == other.records
                && bytes == other.bytes
                && content.equals(other.content);
    }

    /** Records of all parts. */
    static long records(final List<PartDigest> parts) {
        return parts.stream().mapToLong(PartDigest::records).sum();
    }

    /** Whether every part is sorted. */
    static boolean sorted(final List<PartDigest> parts) {
        return parts.stream().allMatch(PartDigest::sorted);
    }
}
