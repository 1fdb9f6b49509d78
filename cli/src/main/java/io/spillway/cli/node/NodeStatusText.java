// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a node process says of itself, for people. */
final class NodeStatusText {
    private static final double PERCENT = 100;
    private static final double MEGA = 1e6;

    private NodeStatusText() {}

    static JsonNode parse(final String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (final JsonProcessingException e) {
            throw new CommandException(
                    "the node process answers with no JSON: " + e.getMessage(), e);
        }
    }

    static String render(final String json) {
        final JsonNode status = parse(json);
        final StringBuilder text = new StringBuilder();
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "Spillway %s: node process %d, epoch %d, started %s, socket %s",
                        status.path("version").asText("?"),
                        status.path("pid").asLong(),
                        status.path("epoch").asLong(),
                        status.path("started").asText(),
                        status.path("socket").asText()));
        if (status.path("draining").asBoolean()) {
            line(text, "drained: it takes no new map outputs (spillway node drain --cancel)");
        }
        if (!status.path("page").asText().isEmpty()) {
            line(text, "status page and metrics: " + status.path("page").asText());
        }
        text.append('\n').append(transports(status.path("transports")));
        status.path("notServed")
                .fields()
                .forEachRemaining(
                        entry ->
                                line(
                                        text,
                                        entry.getKey()
                                                + " is not served: "
                                                + entry.getValue().asText()));
        text.append('\n').append(managers(status.path("nodeManagers")));
        text.append('\n').append(stores(status.path("nodeManagers")));
        if (status.has("member")) {
            text.append('\n').append(member(status.path("member")));
        }
        final JsonNode cache = status.path("cache");
        line(
                text.append('\n'),
                String.format(
                        Locale.ROOT,
                        "read ahead: %.0f %% of %d pieces came from memory; %.1f MB in memory",
                        PERCENT * cache.path("hitRate").asDouble(),
                        cache.path("hits").asLong() + cache.path("misses").asLong(),
                        cache.path("currentBytes").asLong() / MEGA));
        return text.toString();
    }

    private static void line(final StringBuilder text, final String line) {
        text.append(line).append('\n');
    }

    private static String transports(final JsonNode transports) {
        final TextTable table =
                new TextTable(
                        "transport", "address", "connections", "requests", "failures", "MB sent");
        for (final JsonNode transport : transports) {
            table.row(
                    transport.path("name").asText(),
                    transport.path("address").asText(),
                    transport.path("connections").asText(),
                    transport.path("requests").asText(),
                    transport.path("failures").asText(),
                    megabytes(transport.path("bytes")));
        }
        return table.render();
    }

    private static String managers(final JsonNode managers) {
        if (managers.isEmpty()) {
            return "no NodeManager's handler has come yet\n";
        }
        final TextTable table = new TextTable("NodeManager", "shuffle port", "handler", "jobs");
        for (final JsonNode manager : managers) {
            final List<String> jobs = new ArrayList<>();
            manager.path("jobs").forEach(job -> jobs.add(job.asText()));
            table.row(
                    manager.path("name").asText(),
                    manager.path("shuffle").asText(),
                    manager.path("connected").asBoolean() ? "connected" : "gone",
                    jobs.isEmpty() ? "-" : String.join(" ", jobs));
        }
        return table.render();
    }

    private static String stores(final JsonNode managers) {
        final TextTable table =
                new TextTable("tier", "NodeManager", "MB used", "MB free", "jobs", "folder");
        boolean any = false;
        for (final JsonNode manager : managers) {
            for (final JsonNode store : manager.path("stores")) {
                any = true;
                table.row(
                        store.path("tier").asText(),
                        manager.path("name").asText(),
                        megabytes(store.path("usedBytes")),
                        megabytes(store.path("freeBytes")),
                        store.path("applications").asText(),
                        store.path("folder").asText());
            }
        }
        return any ? table.render() : "no tiers in memory or NVM\n";
    }

    private static String member(final JsonNode member) {
        final StringBuilder text = new StringBuilder();
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "gives %s MB to map outputs of all hosts, %s MB in use; placement service"
                                + " %s %s",
                        megabytes(member.path("capacityBytes")),
                        megabytes(member.path("usedBytes")),
                        member.path("service").asText(),
                        member.path("answered").asBoolean() ? "answers" : "does not answer"));
        final JsonNode puts = member.path("puts");
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "holds %d outputs; %d pieces of %s MB were put since the start, %d outputs"
                                + " committed and %d given up",
                        member.path("outputs").asLong(),
                        puts.path("pieces").asLong(),
                        megabytes(puts.path("bytes")),
                        puts.path("commits").asLong(),
                        puts.path("aborts").asLong()));
        if (member.has("placement")) {
            text.append('\n').append(ClusterStatusText.tables(member.path("placement")));
        }
        return text.toString();
    }

    private static String megabytes(final JsonNode bytes) {
        return bytes.asLong() < 0 ? "?" : String.format(Locale.ROOT, "%.1f", bytes.asLong() / MEGA);
    }
}
