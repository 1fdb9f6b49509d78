// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.version.Release;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Whether this user's node process is there where it should be, and of this release. */
final class NodeProcessCheck implements Check {
    private final HostFiles files;
    private final SiteFacts site;
    private final Status status;

    /** Asks the node process. */
    @FunctionalInterface
    interface Status {
        /**
         * Its status as JSON.
         *
         * @throws IOException when none of this user answers
         */
        String ask() throws IOException;
    }

    NodeProcessCheck(final HostFiles files, final SiteFacts site, final Status status) {
        this.files = files;
        this.site = site;
        this.status = status;
    }

    @Override
    public String name() {
        return "node-process";
    }

    @Override
    public List<Finding> look() throws IOException {
        final JsonNode answer;
        try {
            answer = new ObjectMapper().readTree(status.ask());
        } catch (final IOException e) {
            return isMissed() ? List.of(missing(e)) : List.of();
        }
        final List<Finding> findings = new ArrayList<>();
        final String version = answer.path("version").asText("?");
        if (!version.equals(Release.VERSION)) {
            findings.add(
                    Finding.warning(
                            "the node process is Spillway "
                                    + version
                                    + ", this is "
                                    + Release.VERSION,
                            "it goes on with the jar that it was started with",
                            "spillway node stop; a NodeManager with spillway.node.launch=true"
                                    + " starts the next one"));
        }
        answer.path("notServed")
                .fields()
                .forEachRemaining(
                        entry ->
                                findings.add(
                                        Finding.note(
                                                entry.getKey()
                                                        + " is not served: "
                                                        + entry.getValue().asText(),
                                                "reducers fetch over tcp",
                                                "docs/hpc.md")));
        return findings;
    }

    private boolean isMissed() {
        return "true".equals(site.property("spillway.node.launch").orElse(""))
                && HadoopDaemon.all(files).stream()
                        .anyMatch(daemon -> daemon.kind() == HadoopDaemon.Kind.NODE_MANAGER);
    }

    private static Finding missing(final IOException cause) {
        return Finding.warning(
                "spillway.node.launch=true, a NodeManager runs, and no node process of this user"
                        + " answers: "
                        + cause.getMessage(),
                "its map outputs go over tcp only, or the NodeManager is another user's",
                "run spillway doctor as the NodeManager's user; its log says why the process"
                        + " ended");
    }
}
