// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.cli.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The outputs that a node process still holds and serves, from its status. Immutable. */
final class NodeHoldings {
    private static final double MEGA = 1e6;

    private final JsonNode status;
    private final JsonNode member;

    private NodeHoldings(final JsonNode status) {
        this.status = status;
        this.member = status.path("member");
    }

    static NodeHoldings of(final String json) {
        return new NodeHoldings(NodeStatusText.parse(json));
    }

    long pid() {
        return status.path("pid").asLong();
    }

    boolean isDraining() {
        return status.path("draining").asBoolean();
    }

    /** Whether it can stop: it holds no output, and no job has one on its host. */
    boolean mayGo() {
        return amount() == 0;
    }

    /** Counts outputs in its memory, and jobs with outputs on its host. */
    long amount() {
        return outputs() + jobsOfHost();
    }

    private long outputs() {
        return member.path("outputs").asLong();
    }

    private long bytes() {
        return member.path("usedBytes").asLong() + member.path("overflowUsedBytes").asLong();
    }

    private long jobsOfHost() {
        long jobs = 0;
        for (final JsonNode manager : managers()) {
            jobs += manager.path("jobs").size();
        }
        return jobs;
    }

    private JsonNode managers() {
        return status.path("nodeManagers");
    }

    /** Formats one line. */
    String summary() {
        final String held =
                String.format(
                        Locale.ROOT,
                        "%d outputs of %d jobs, %.1f MB",
                        outputs(),
                        member.path("held").size(),
                        bytes() / MEGA);
        return managers().isEmpty() ? held : held + "; " + jobsOfHost() + " jobs of its host";
    }

    /** Returns what the operator has to do before the process can stop. */
    List<String> advice() {
        final List<String> lines = new ArrayList<>();
        for (final JsonNode manager : managers()) {
            if (manager.path("connected").asBoolean()) {
                lines.add(
                        "NodeManager "
                                + manager.path("name").asText()
                                + " goes on running tasks, whose outputs this host serves. YARN"
                                + " stops them: add the host to the file of"
                                + " yarn.resourcemanager.nodes.exclude-path, then"
                                + " yarn rmadmin -refreshNodes -g SECONDS -client");
            }
        }
        if (isService()) {
            lines.add(
                    "This process is the placement service of "
                            + member.path("placement").path("nodes").size()
                            + " nodes: without it new outputs stay on the hosts of their maps");
        }
        return lines;
    }

    private boolean isService() {
        return member.has("placement");
    }

    /** Formats text for people. */
    String text() {
        final String process = "node process " + pid();
        if (!isDraining()) {
            return process + " takes outputs\n";
        }
        if (mayGo()) {
            return process + " is drained and holds nothing: it can stop (spillway node stop)\n";
        }
        final StringBuilder text = new StringBuilder();
        text.append(process).append(" takes no new outputs; it cannot stop yet, as it has ");
        text.append(summary()).append('\n');
        final TextTable jobs = new TextTable("job", "held by", "outputs", "MB");
        for (final JsonNode job : member.path("held")) {
            jobs.row(
                    job.path("job").asText(),
                    "this process",
                    job.path("outputs").asText(),
                    String.format(Locale.ROOT, "%.1f", job.path("bytes").asLong() / MEGA));
        }
        for (final JsonNode manager : managers()) {
            for (final JsonNode job : manager.path("jobs")) {
                jobs.row(job.asText(), manager.path("name").asText(), "-", "-");
            }
        }
        return text.append(jobs.render()).toString();
    }

    /** Formats JSON for programs: one object. */
    String json() {
        final ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("pid", pid());
        json.put("draining", isDraining());
        json.put("mayGo", isDraining() && mayGo());
        json.put("outputs", outputs());
        json.put("bytes", bytes());
        json.putArray("held").addAll(held());
        final ObjectNode jobs = json.putObject("nodeManagers");
        managers()
                .forEach(manager -> jobs.set(manager.path("name").asText(), manager.path("jobs")));
        json.put("placementService", isService());
        return json.toString();
    }

    private List<JsonNode> held() {
        final List<JsonNode> jobs = new ArrayList<>();
        member.path("held").forEach(jobs::add);
        return jobs;
    }
}
