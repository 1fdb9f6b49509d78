// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
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

/**
 * What very many tasks cost a node. Immutable.
 *
 * @param plan how many did what
 * @param rows a stage each
 */
public record LoadResult(LoadPlan plan, List<LoadRow> rows) {
    private static final int SCHEMA = 1;
    private static final double MEGA = 1e6;

    /** Copies the list. */
    public LoadResult {
        rows = List.copyOf(rows);
    }

    /** A table of all stages. */
    public String text(final Machine machine) {
        final TextTable table =
                new TextTable(
                        "stage",
                        "tasks",
                        "seconds",
                        "tasks/s",
                        "segments/s",
                        "MB/s",
                        "node CPU s",
                        "tasks CPU s",
                        "heap MB",
                        "direct MB",
                        "resident MB",
                        "descriptors",
                        "retries");
        for (final LoadRow row : rows) {
            table.row(
                    LoadStage.valueOf(row.stage()).label(),
                    String.valueOf(row.tasks()),
                    decimal(row.seconds()),
                    whole(row.tasks() / row.seconds()),
                    whole(row.segments() / row.seconds()),
                    decimal(row.bytes() / MEGA / row.seconds()),
                    decimal(row.nodeCpuSeconds()),
                    decimal(row.tasksCpuSeconds()),
                    whole(row.heapBytes() / MEGA),
                    whole(row.directBytes() / MEGA),
                    whole(row.residentBytes() / MEGA),
                    String.valueOf(row.descriptors()),
                    String.valueOf(row.retries()));
        }
        return headline(machine) + "\n" + table.render();
    }

    private String headline(final Machine machine) {
        return String.format(
                Locale.ROOT,
                "%d maps x %d reducers of %s a segment, then %d reducers in turns, %d tasks at a"
                        + " time, against one node over tcp; %s, %d cores%n",
                plan.maps(),
                plan.reducers(),
                Sizes.format(plan.segment()),
                plan.turns(),
                plan.atATime(),
                machine.cpu(),
                machine.cores());
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String whole(final double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }

    /**
     * Writes {@code load.txt} and {@code load.json}.
     *
     * @return the files
     */
    public List<Path> write(final Path folder, final Machine machine) {
        return List.of(
                write(folder.resolve("load.txt"), text(machine)),
                write(folder.resolve("load.json"), json(machine)));
    }

    private static Path write(final Path file, final String text) {
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    private String json(final Machine machine) {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("schema", SCHEMA);
        tree.put("machine", machine);
        tree.put("plan", plan);
        tree.put("stages", rows);
        try {
            return new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(tree)
                    + "\n";
        } catch (final JsonProcessingException e) {
            throw new CommandException("cannot render the result", e);
        }
    }
}
