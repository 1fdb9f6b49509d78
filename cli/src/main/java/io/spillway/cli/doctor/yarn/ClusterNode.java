// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A NodeManager as the ResourceManager knows it. Immutable.
 *
 * @param id its host and port
 * @param host its name
 * @param web where it answers over HTTP, a host and a port; empty where it has gone
 * @param state such as {@code RUNNING}
 * @param health what it says of its health; empty where it is healthy
 * @param version of Hadoop
 */
public record ClusterNode(
        String id, String host, String web, String state, String health, String version) {
    private static final String RUNNING = "RUNNING";

    /** Of the ResourceManager's answer. */
    static ClusterNode of(final JsonNode node) {
        return new ClusterNode(
                node.path("id").asText(),
                node.path("nodeHostName").asText(),
                node.path("nodeHTTPAddress").asText(),
                node.path("state").asText(),
                node.path("healthReport").asText(),
                node.path("version").asText());
    }

    /** Whether it takes containers. */
    public boolean isRunning() {
        return state.equals(RUNNING);
    }
}
