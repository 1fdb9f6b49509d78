// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.cli.failure.CommandException;
import java.util.List;
import java.util.Locale;

/**
 * What one stage took.
 *
 * @param stage the name of a {@link LoadStage}
 * @param tasks that did it, each over a connection of its own
 * @param seconds until the last one had ended
 * @param segments that were put or fetched
 * @param bytes of them
 * @param retries connections that the node refused or that were lost before they were proved
 * @param nodeCpuSeconds of the node
 * @param tasksCpuSeconds of the process that has all tasks
 * @param heapBytes the node's heap in use, garbage included, at most
 * @param directBytes the node's memory outside the heap, as far as the JDK has allocated it, at
 *     most
 * @param residentBytes the node's resident set, at most
 * @param descriptors the node's open files and sockets, at most
 */
public record LoadRow(
        String stage,
        int tasks,
        double seconds,
        long segments,
        long bytes,
        long retries,
        double nodeCpuSeconds,
        double tasksCpuSeconds,
        long heapBytes,
        long directBytes,
        long residentBytes,
        long descriptors) {
    private static final int FIELDS = 12;

    /** All fields, in their order. */
    String text(final String separator) {
        return String.join(
                separator,
                stage,
                String.valueOf(tasks),
                String.format(Locale.ROOT, "%.3f", seconds),
                String.valueOf(segments),
                String.valueOf(bytes),
                String.valueOf(retries),
                String.format(Locale.ROOT, "%.3f", nodeCpuSeconds),
                String.format(Locale.ROOT, "%.3f", tasksCpuSeconds),
                String.valueOf(heapBytes),
                String.valueOf(directBytes),
                String.valueOf(residentBytes),
                String.valueOf(descriptors));
    }

    /** Reads what {@link #text} gave. */
    static LoadRow parse(final String text, final String separator) {
        final List<String> fields = List.of(text.split(separator, -1));
        if (fields.size() != FIELDS) {
            throw new CommandException("a stage of " + fields.size() + " fields: " + text);
        }
        return new LoadRow(
                fields.get(0),
                Integer.parseInt(fields.get(1)),
                Double.parseDouble(fields.get(2)),
                Long.parseLong(fields.get(3)),
                Long.parseLong(fields.get(4)),
                Long.parseLong(fields.get(5)),
                Double.parseDouble(fields.get(6)),
                Double.parseDouble(fields.get(7)),
                Long.parseLong(fields.get(8)),
                Long.parseLong(fields.get(9)),
                Long.parseLong(fields.get(10)),
                Long.parseLong(fields.get(11)));
    }
}
