// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class MarkedProcessesTest {
    @Test
    void killsAllThatInheritedTheMarkAndNothingElse() throws IOException, InterruptedException {
        final String id = UUID.randomUUID().toString();
        final String otherId = UUID.randomUUID().toString();
        final Process other = sleeper(otherId);
        // A child in a session of its own, as containers are, and its parent.
        final Process parent = sleeper(id);
        try {
            awaitTwo(id);
            MarkedProcesses.killAll(id);

            assertThat(parent.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(MarkedProcesses.find(id)).isEmpty();
            assertThat(other.isAlive()).isTrue();
        } finally {
            MarkedProcesses.killAll(otherId);
        }
    }

    private static void awaitTwo(final String id) throws InterruptedException {
        for (int attempt = 0; attempt < 500 && MarkedProcesses.find(id).size() < 2; attempt++) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(MarkedProcesses.find(id)).hasSizeGreaterThanOrEqualTo(2);
    }

    private static Process sleeper(final String id) throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", "setsid sleep 300 & sleep 300; true");
        builder.environment().put(MarkedProcesses.VARIABLE, id);
        return builder.start();
    }
}
