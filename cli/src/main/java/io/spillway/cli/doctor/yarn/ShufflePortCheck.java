// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.stream.client.VersionQuestion;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Whether a NodeManager's shuffle port is open from here, and speaks a version that we speak. */
final class ShufflePortCheck implements Check {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final InetSocketAddress port;
    private final boolean isPromised;

    /**
     * Creates it.
     *
     * @param isPromised whether the NodeManager says that it serves Spillway's protocol
     */
    ShufflePortCheck(final InetSocketAddress port, final boolean isPromised) {
        this.port = port;
        this.isPromised = isPromised;
    }

    @Override
    public String name() {
        return "shuffle-port";
    }

    @Override
    public List<Finding> look() {
        final Optional<VersionRange> versions;
        try {
            versions = VersionQuestion.ask(port, TIMEOUT);
        } catch (final IOException e) {
            return List.of(
                    Finding.error(
                            port + " does not answer: " + e.getMessage(),
                            "reducers cannot fetch from it",
                            "open mapreduce.shuffle.port in firewalls, or restart the"
                                    + " NodeManager"));
        }
        if (versions.isEmpty()) {
            return isPromised
                    ? List.of(
                            Finding.error(
                                    port + " answers as Hadoop's own handler does",
                                    "another NodeManager of this host has the port, or a proxy is"
                                            + " in between",
                                    "give each its own mapreduce.shuffle.port"))
                    : List.of();
        }
        return versions.get().newestCommon(FrameType.VERSIONS).isPresent()
                ? List.of()
                : List.of(
                        Finding.error(
                                port
                                        + " speaks versions "
                                        + versions.get()
                                        + " of the wire protocol, this release "
                                        + FrameType.VERSIONS,
                                "reducers of this release fetch from it over HTTP",
                                "go from one release to the next (docs/operating.md,"
                                        + " Upgrading)"));
    }
}
