// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.process.NodeMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodeLauncherTest {
    @Test
    void namesADeath() {
        assertThat(NodeLauncher.describe(137)).isEqualTo("signal 9 (SIGKILL)");
        assertThat(NodeLauncher.describe(139)).isEqualTo("signal 11");
        assertThat(NodeLauncher.describe(1)).isEqualTo("exit code 1; see its log");
        assertThat(NodeLauncher.describe(2)).startsWith("exit code 2, a wrong setting");
        assertThat(NodeLauncher.describe(255)).isEqualTo("exit code 255; see its log");
    }

    @Test
    void waitsLongerEachTimeAndForgetsAfterALongLife() {
        final RestartDelay delay = new RestartDelay(1_000, 60_000);
        long last = 0;
        for (final long expected : List.of(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L)) {
            last = delay.after(0);
            assertThat(last).isEqualTo(expected);
        }
        assertThat(delay.after(59_999)).isEqualTo(60_000);
        assertThat(delay.after(0)).isEqualTo(60_000);
        assertThat(delay.after(60_000)).isEqualTo(1_000);
        assertThat(delay.after(0)).isEqualTo(2_000);
    }

    @Test
    void aJavaThatIsNotThereIsNoTroubleToTheCaller() {
        final NodeCommand missing =
                new NodeCommand(
                        Path.of("/nonexistent/java"),
                        "x",
                        new NodeMemory(1 << 26, 1 << 26),
                        Map.of(),
                        Map.of());
        final NodeLauncher launcher = new NodeLauncher(missing, Optional.empty());
        final long begun = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            assertThat(launcher.ensureRunning()).isTrue();
        }
        launcher.stop();
        assertThat(launcher.ensureRunning()).isFalse();
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void boundsItsMemory() {
        final NodeCommand command =
                NodeCommand.of(
                        "a.jar:b.jar",
                        Map.of("spillway.node.heap", "512m", "spillway.node.prefetch.bytes", "64m")
                                ::get,
                        Map.of("spillway.node.host", "ib0"));
        assertThat(command.line(List.of("--end-when-alone")))
                .contains("-Xmx512m", "-XX:MaxDirectMemorySize=512m")
                .endsWith(
                        "io.spillway.node.process.NodeMain",
                        "-D",
                        "spillway.node.host=ib0",
                        "--end-when-alone");
        assertThat(command.builder(List.of()).environment())
                .containsEntry("CLASSPATH", "a.jar:b.jar")
                .containsKey("UCX_ERROR_SIGNALS");
    }

    /** As a NodeManager with Kerberos, which has the needed properties in its JVM's options. */
    @Test
    void aProcessLikeThisOneFindsTheSameNativeLibraries() {
        assertThat(NodeCommand.likeThisProcess(name -> null, Map.of()).options())
                .contains("-Djava.library.path=" + System.getProperty("java.library.path"));
    }
}
