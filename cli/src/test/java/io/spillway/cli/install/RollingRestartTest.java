// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.doctor.yarn.FakeCluster;
import io.spillway.cli.doctor.yarn.YarnDoctor;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.Rest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fake NodeManagers with recorded answers: a restart changes the start time in them. */
@Timeout(60)
class RollingRestartTest {
    @TempDir private Path folder;
    private FakeCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new FakeCluster();
        cluster.node(0).put("id", "a:1");
        cluster.node(1).put("id", "b:1");
        cluster.first.restartsWith(folder.resolve("first"));
        cluster.second.restartsWith(folder.resolve("second"));
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
    }

    private RollingRestart restart(final String command) throws IOException {
        return new RollingRestart(
                new YarnDoctor(Rest.DIRECT, cluster.address(), Map.of(), Map.of()),
                command,
                Duration.ZERO,
                Duration.ofSeconds(3),
                RestartedNodes.in(folder.resolve("restarted.json")));
    }

    /** Creates the first file that is missing: each call restarts one NodeManager, in order. */
    private String touchNext() {
        final String first = folder.resolve("first").toString();
        final String second = folder.resolve("second").toString();
        return "echo {host} >> "
                + folder.resolve("log")
                + "; if [ -e "
                + first
                + " ]; then touch "
                + second
                + "; else touch "
                + first
                + "; fi";
    }

    @Test
    void restartsOneAfterTheOther() throws Exception {
        assertThat(restart(touchNext()).plan()).hasSize(2).allMatch(line -> line.contains("touch"));
        assertThat(folder.resolve("log")).doesNotExist();
        assertThat(restart(touchNext()).run(Monitor.NONE)).isEqualTo(2);
        assertThat(Files.readAllLines(folder.resolve("log"))).hasSize(2);
        assertThat(folder.resolve("restarted.json")).as("nothing to go on with").doesNotExist();
    }

    @Test
    void stopsAtOneThatDoesNotServeAndGoesOnThere() throws Exception {
        cluster.second.withoutMetrics();
        assertThatThrownBy(() -> restart(touchNext()).run(Monitor.NONE))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("stopped at ")
                .hasMessageContaining("serves stock HTTP only")
                .hasMessageContaining("run the same command again");
        assertThat(Files.readAllLines(folder.resolve("log"))).hasSize(2);
        assertThat(restart(touchNext()).plan().get(0)).endsWith(": done");
    }

    @Test
    void stopsAtOneWhoseFilesWereNotChanged() throws Exception {
        cluster.first.set(
                "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                "org.apache.hadoop.mapred.ShuffleHandler");
        assertThatThrownBy(() -> restart(touchNext()).run(Monitor.NONE))
                .hasMessageContaining("stopped at a:1")
                .hasMessageContaining("ShuffleHandler");
        assertThat(Files.readAllLines(folder.resolve("log"))).as("b is not touched").hasSize(1);
    }

    @Test
    void aCommandThatRestartsNothingIsFound() throws Exception {
        assertThatThrownBy(() -> restart("true {host}").run(Monitor.NONE))
                .hasMessageContaining("it was not restarted");
        assertThatThrownBy(() -> restart("exit 7 # {host}").run(Monitor.NONE))
                .hasMessageContaining("ended with exit code 7");
        assertThatThrownBy(() -> restart("true")).hasMessageContaining("expected {host} in it");
    }

    @Test
    void leavesAloneWhatDoesNotRun() throws Exception {
        cluster.node(0).put("state", "DECOMMISSIONED");
        final List<String> plan = restart("true {host}").plan();
        assertThat(plan).anyMatch(line -> line.endsWith("not restarted, it is DECOMMISSIONED"));
    }
}
