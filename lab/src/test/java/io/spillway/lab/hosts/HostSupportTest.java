// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSupportTest {
    private static final int ROOT = 0;
    private static final String REFUSAL = "Error: Specified qdisc kind is unknown.";

    @TempDir private Path bin;
    private final List<String> tried = new ArrayList<>();

    private void install(final String... tools) throws IOException {
        for (final String tool : tools) {
            assertThat(Files.createFile(bin.resolve(tool)).toFile().setExecutable(true)).isTrue();
        }
    }

    private void installAll() throws IOException {
        install("unshare", "nsenter", "mount", "setsid", "ip", "tc");
    }

    /** A kernel that refuses commands with one of these words. */
    private HostSupport support(final int user, final String... refused) {
        final Function<List<String>, String> kernel =
                command -> {
                    tried.add(String.join(" ", command));
                    return List.of(refused).stream().anyMatch(command::contains) ? REFUSAL : "";
                };
        return new HostSupport(user, "/none:" + bin, kernel);
    }

    private static void assertRefused(
            final HostSupport support, final HostLink link, final String... texts) {
        assertThatThrownBy(() -> support.require(link))
                .isInstanceOf(BadInputException.class)
                .hasMessageContainingAll(texts)
                .hasMessageNotContaining("\n");
    }

    @Test
    void anotherUserThanRootIsToldOfProcesses() {
        assertRefused(support(1000), HostLink.NONE, "--hosts needs root", "--nodes");
        assertThat(tried).isEmpty();
    }

    @Test
    void toolsThatAreMissingAreNamedWithTheirPackages() throws IOException {
        install("unshare", "mount", "setsid");

        assertRefused(
                support(ROOT),
                HostLink.parse("1g"),
                "ip (package iproute2)",
                "nsenter (package util-linux)",
                "tc (package iproute2)");
    }

    @Test
    void tcIsNotNeededForLinksThatAreNotShaped() throws IOException {
        install("unshare", "nsenter", "mount", "setsid", "ip");

        support(ROOT).require(HostLink.NONE);

        assertThat(tried).hasSize(1);
        assertRefused(support(ROOT), HostLink.parse("1gbit"), "missing tc (package iproute2)");
    }

    @Test
    void aMachineWithoutNamespacesIsRefused() throws IOException {
        installAll();

        assertRefused(support(ROOT, "--uts"), HostLink.NONE, "no namespaces can be made", REFUSAL);
    }

    @Test
    void aKernelThatCannotDelayIsRefusedADelayOnly() throws IOException {
        installAll();

        assertRefused(
                support(ROOT, "netem"),
                HostLink.parse("10g"),
                "--link 10g",
                "netem (module sch_netem)",
                "--link 10gbit",
                REFUSAL);
        support(ROOT, "netem").require(HostLink.parse("10gbit"));
    }

    @Test
    void aKernelThatCannotBoundARateIsRefusedOne() throws IOException {
        installAll();

        assertRefused(support(ROOT, "tbf"), HostLink.parse("1g"), "tbf (module sch_tbf)", "none");
        assertThat(tried)
                .last()
                .asString()
                .startsWith("unshare --net tc qdisc add dev lo root tbf");
    }
}
