// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.report.TextTable;
import io.spillway.conf.Sizes;
import io.spillway.lab.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What the network benchmark found. Immutable.
 *
 * @param plan what was to be measured
 * @param rows every sample
 * @param notes why a way is not among them
 */
public record NetResult(NetPlan plan, List<NetRow> rows, List<String> notes) {
    /** Copies what is mutable. */
    public NetResult {
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /** A table of medians, a line for each message and way, so that ways lie beside each other. */
    public String text(final Machine machine) {
        final TextTable table =
                new TextTable(
                        "what",
                        "message",
                        "in flight",
                        "way",
                        "us",
                        "GB/s",
                        "CPU s/GB",
                        "client",
                        "rank",
                        "server");
        final Map<List<Object>, List<NetRow>> groups =
                rows.stream()
                        .collect(
                                Collectors.groupingBy(
                                        row ->
                                                List.of(
                                                        row.what(),
                                                        row.bytes(),
                                                        row.window(),
                                                        row.way()),
                                        LinkedHashMap::new,
                                        Collectors.toList()));
        groups.values().forEach(samples -> add(table, samples));
        return String.format(
                        Locale.ROOT,
                        "%s, into %s; medians of %d; settings %s; %s, %d cores%n%n",
                        plan.onePlace() ? "One message again and again" : "16m of data from memory",
                        plan.heap() ? "arrays" : "direct memory",
                        plan.repeats(),
                        plan.settings(),
                        machine.cpu(),
                        machine.cores())
                + table.render()
                + notes.stream().map("\nNot measured: "::concat).collect(Collectors.joining());
    }

    private static void add(final TextTable table, final List<NetRow> samples) {
        final NetRow row = samples.get(0);
        table.row(
                row.what().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                Sizes.format(row.bytes()),
                row.window() == 0 ? "-" : String.valueOf(row.window()),
                row.way(),
                number(samples, NetRow::medianMicros),
                number(samples, NetRow::gigabytesPerSecond),
                number(samples, each -> each.clientCpu() + each.proxyCpu() + each.serverCpu()),
                number(samples, NetRow::clientCpu),
                number(samples, NetRow::proxyCpu),
                number(samples, NetRow::serverCpu));
    }

    /** The median, with three digits. */
    private static String number(final List<NetRow> samples, final ToDoubleFunction<NetRow> value) {
        final double[] all = samples.stream().mapToDouble(value).sorted().toArray();
        final double median = (all[all.length / 2] + all[(all.length - 1) / 2]) / 2;
        if (Double.isNaN(median)) {
            return "-";
        }
        final int digits = median >= 100 ? 0 : median >= 10 ? 1 : median >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + digits + "f", median);
    }

    /**
     * Writes {@code net.csv}, every sample, and {@code net.txt}.
     *
     * @return the files
     */
    public List<Path> write(final Path folder, final Machine machine) {
        final String csv = rows.stream().map(NetRow::csv).collect(Collectors.joining("\n"));
        try {
            Files.createDirectories(folder);
            return List.of(
                    Files.writeString(folder.resolve("net.csv"), NetRow.HEAD + "\n" + csv + "\n"),
                    Files.writeString(folder.resolve("net.txt"), text(machine) + "\n"));
        } catch (final IOException e) {
            throw new CommandException("cannot write to " + folder + ": " + e, e);
        }
    }
}
