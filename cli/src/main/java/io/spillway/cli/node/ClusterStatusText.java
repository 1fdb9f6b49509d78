// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the placement service says of all nodes and jobs, for people. */
final class ClusterStatusText {
    private static final int BAR_LENGTH = 20;
    private static final double PERCENT = 100;
    private static final double MEGA = 1e6;
    private static final double MILLI = 1e3;

    private ClusterStatusText() {}

    /** The status of a whole cluster. */
    static String render(final String json) {
        final JsonNode status = NodeStatusText.parse(json);
        return "placement service " + status.path("service").asText() + "\n\n" + tables(status);
    }

    /** Nodes, jobs and sums. */
    static String tables(final JsonNode status) {
        return nodes(status.path("nodes")) + "\n" + jobs(status) + "\n" + totals(status);
    }

    private static String nodes(final JsonNode nodes) {
        if (nodes.isEmpty()) {
            return "no nodes\n";
        }
        final TextTable table =
                new TextTable(
                        "node",
                        "epoch",
                        "kind",
                        "state",
                        "fill",
                        "MB used",
                        "MB leased",
                        "MB",
                        "MB in files",
                        "outputs",
                        "heard");
        for (final JsonNode node : nodes) {
            final long capacity = node.path("capacityBytes").asLong();
            final long taken = node.path("usedBytes").asLong() + node.path("leasedBytes").asLong();
            table.row(
                    node.path("address").asText(),
                    node.path("epoch").asText(),
                    node.path("memoryOnly").asBoolean() ? "only stores" : "runs tasks",
                    node.path("state").asText(),
                    capacity == 0 ? "gives none" : bar(taken, capacity),
                    megabytes(node.path("usedBytes")),
                    megabytes(node.path("leasedBytes")),
                    megabytes(node.path("capacityBytes")),
                    files(node),
                    node.path("outputs").asText(),
                    String.format(
                            Locale.ROOT, "%.1f s ago", node.path("silentMillis").asLong() / MILLI));
        }
        return table.render();
    }

    /** What lies behind the memory, on an SSD or a shared directory, and how much may. */
    private static String files(final JsonNode node) {
        final long capacity = node.path("overflowCapacityBytes").asLong();
        final long used = node.path("overflowUsedBytes").asLong();
        return capacity == 0 && used == 0
                ? "-"
                : megabytes(node.path("overflowUsedBytes"))
                        + " of "
                        + megabytes(node.path("overflowCapacityBytes"));
    }

    private static String jobs(final JsonNode status) {
        final JsonNode jobs = status.path("jobs");
        if (jobs.isEmpty()) {
            return "no jobs\n";
        }
        final TextTable table = new TextTable("job", "user", "MB", "outputs", "refused by quota");
        for (final JsonNode job : jobs) {
            final String user = job.path("user").asText();
            table.row(
                    job.path("id").asText(),
                    user.isEmpty() ? "?" : user,
                    megabytes(job.path("bytes")),
                    job.path("outputs").asText(),
                    job.path("refused").asText());
        }
        final TextTable users = new TextTable("user", "MB");
        for (final JsonNode user : status.path("users")) {
            users.row(user.path("name").asText(), megabytes(user.path("bytes")));
        }
        return table.render() + (status.path("users").size() > 1 ? "\n" + users.render() : "");
    }

    private static String totals(final JsonNode status) {
        final JsonNode totals = status.path("totals");
        final long capacity = totals.path("capacityBytes").asLong();
        final long taken = totals.path("usedBytes").asLong() + totals.path("leasedBytes").asLong();
        final StringBuilder text = new StringBuilder();
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "all %d nodes (%d only store): %s, %s MB used and %s MB leased of %s MB,"
                                + " %d outputs, %d jobs",
                        totals.path("nodes").asLong(),
                        totals.path("memoryNodes").asLong(),
                        bar(taken, capacity),
                        megabytes(totals.path("usedBytes")),
                        megabytes(totals.path("leasedBytes")),
                        megabytes(totals.path("capacityBytes")),
                        totals.path("outputs").asLong(),
                        totals.path("jobs").asLong()));
        line(
                text,
                "places since the start: "
                        + totals.path("granted").asLong()
                        + " granted, "
                        + refused(totals.path("refused")));
        limit(text, "a job", status.path("jobLimitBytes"));
        limit(text, "a user", status.path("userLimitBytes"));
        if (!status.path("settled").asBoolean()) {
            line(text, "the service has started only now: it may not know all nodes and jobs yet");
        }
        return text.toString();
    }

    private static String refused(final JsonNode causes) {
        final List<String> words = new ArrayList<>();
        causes.fields()
                .forEachRemaining(
                        cause -> {
                            if (cause.getValue().asLong() > 0) {
                                words.add(cause.getValue().asLong() + " " + cause.getKey());
                            }
                        });
        return words.isEmpty() ? "none refused" : "refused: " + String.join(", ", words);
    }

    private static void limit(final StringBuilder text, final String whose, final JsonNode bytes) {
        if (bytes.isNumber()) {
            line(text, whose + " may take " + megabytes(bytes) + " MB");
        }
    }

    private static void line(final StringBuilder text, final String line) {
        text.append(line).append('\n');
    }

    private static String bar(final long part, final long whole) {
        final double fill = whole == 0 ? 0 : Math.min(1, (double) part / whole);
        final int full = (int) Math.round(fill * BAR_LENGTH);
        return String.format(
                Locale.ROOT,
                "[%s%s] %3.0f %%",
                "#".repeat(full),
                ".".repeat(BAR_LENGTH - full),
                PERCENT * fill);
    }

    private static String megabytes(final JsonNode bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes.asLong() / MEGA);
    }
}
