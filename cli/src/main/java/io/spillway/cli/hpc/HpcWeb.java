// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.Rest;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Asks the daemons of a session. Thread-safe. */
final class HpcWeb {
    private final SessionFolder session;

    HpcWeb(final SessionFolder session) {
        this.session = session;
    }

    /** The number of registered NodeManagers, or -1 when the ResourceManager does not answer. */
    int activeNodes() {
        return resourceManager("/ws/v1/cluster/metrics")
                .map(metrics -> metrics.path("clusterMetrics").path("activeNodes").asInt(-1))
                .orElse(-1);
    }

    /** What the ResourceManager knows of its nodes. */
    List<JsonNode> nodes() {
        return resourceManager("/ws/v1/cluster/nodes")
                .map(nodes -> Rest.elements(nodes.path("nodes").path("node")))
                .orElse(List.of());
    }

    /** What the ResourceManager knows of applications. */
    List<JsonNode> applications() {
        return resourceManager("/ws/v1/cluster/apps")
                .map(apps -> Rest.elements(apps.path("apps").path("app")))
                .orElse(List.of());
    }

    boolean historyAnswers() {
        return get(historyServer().resolve("/ws/v1/history/info")).isPresent();
    }

    /** Where the JobHistoryServer answers. */
    URI historyServer() {
        return server("mapred-site.xml", "mapreduce.jobhistory.webapp.address");
    }

    private Optional<JsonNode> resourceManager(final String path) {
        return get(server("yarn-site.xml", "yarn.resourcemanager.webapp.address").resolve(path));
    }

    private URI server(final String file, final String property) {
        final String address = ConfFile.read(session.conf().resolve(file), property).orElseThrow();
        return URI.create("http://" + address);
    }

    private static Optional<JsonNode> get(final URI resource) {
        try {
            return Optional.of(Rest.DIRECT.get(resource));
        } catch (final IOException e) {
            return Optional.empty(); // not yet, or not any more
        }
    }
}
