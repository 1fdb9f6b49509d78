// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which attempts of a reduce task may fetch by native code. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class ReducerTransportTest {
    private static final String NATIVE = "ucx";

    @TempDir private Path jobFolder;

    private final Map<String, String> settings = new HashMap<>();

    @BeforeEach
    void set() {
        settings.put("spillway.transport", NATIVE);
        settings.put("mapreduce.job.local.dir", jobFolder.toString());
    }

    private static TaskAttemptID attempt(final int task, final int number) {
        final TaskID id = new TaskID(new JobID("1700000000000", 1), TaskType.REDUCE, task);
        return new TaskAttemptID(id, number);
    }

    private String transportOf(final int task, final int number) {
        return transportOf(attempt(task, number), settings);
    }

    private static String transportOf(
            final TaskAttemptID attempt, final Map<String, String> settings) {
        try (Transport transport =
                ReducerTransport.of(
                        attempt,
                        Optional.empty(),
                        List.of(new Native()),
                        Optional.empty(),
                        settings::get)) {
            return transport.name();
        }
    }

    /** Another attempt's JVM: makes its transport, says so, and stays. */
    static final class Attempt {
        private Attempt() {}

        public static void main(final String[] arguments) throws InterruptedException {
            final TaskAttemptID attempt = TaskAttemptID.forName(arguments[0]);
            System.out.println(
                    transportOf(
                            attempt,
                            Map.of(
                                    "spillway.transport",
                                    NATIVE,
                                    "mapreduce.job.local.dir",
                                    arguments[1])));
            Thread.sleep(TimeUnit.MINUTES.toMillis(1));
        }
    }

    private Process start(final TaskAttemptID attempt) throws IOException {
        final Process process =
                new ProcessBuilder(
                                TestJvm.command(
                                        List.of(),
                                        Attempt.class,
                                        attempt.toString(),
                                        jobFolder.toString()))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String line = process.inputReader().readLine();
        while (line != null && !line.equals(NATIVE)) {
            line = process.inputReader().readLine();
        }
        assertThat(line).isEqualTo(NATIVE);
        return process;
    }

    /** Many attempts' signs, left one after the other. */
    static final class Attempts {
        private static final int COUNT = 200;

        private Attempts() {}

        public static void main(final String[] arguments) throws Exception {
            for (int task = 0; task < COUNT; task++) {
                NativeSign.leave(Path.of(arguments[0]), attempt(task, 0));
            }
            System.out.println("left");
            Thread.sleep(TimeUnit.MINUTES.toMillis(1));
        }
    }

    /** An attempt that starts now is none that has ended. */
    @Test
    void noSignIsTakenForLeftWhileItIsMade() throws Exception {
        final Process starting =
                new ProcessBuilder(TestJvm.command(List.of(), Attempts.class, jobFolder.toString()))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (BufferedReader out = starting.inputReader()) {
            while (!out.ready()) {
                assertThat(NativeSign.abandoned(jobFolder)).isEmpty();
            }
            assertThat(jobFolder.toFile().list()).hasSize(Attempts.COUNT);
        } finally {
            starting.destroyForcibly().waitFor();
        }
    }

    /** YARN ends it by SIGTERM. */
    @Test
    void theAttemptAfterAPreemptedOneUsesNativeCode() throws Exception {
        final Process preempted = start(attempt(0, 0));
        preempted.destroy();
        preempted.waitFor();

        assertThat(transportOf(0, 1)).isEqualTo(NATIVE);
    }

    @Test
    void aSpeculativeAttemptUsesNativeCodeBesideTheFirstOne() throws Exception {
        final Process first = start(attempt(0, 0));
        try {
            assertThat(transportOf(0, 1)).isEqualTo(NATIVE);
        } finally {
            first.destroyForcibly().waitFor();
        }
    }

    @Test
    void attemptsAfterARestartOfTheMasterUseNativeCode() {
        assertThat(transportOf(0, 1000)).isEqualTo(NATIVE);
        assertThat(transportOf(1, 2001)).isEqualTo(NATIVE);
    }

    /** As a crash does, SIGKILL leaves a JVM no time for anything. */
    @Test
    void whereAJvmWithNativeCodeHasDiedTheJobGoesOnOverTcp() throws Exception {
        start(attempt(0, 0)).destroyForcibly().waitFor();

        assertThat(transportOf(0, 1)).as("the task's next attempt").isEqualTo(TcpTransport.NAME);
        assertThat(transportOf(1, 0)).as("another task").isEqualTo(TcpTransport.NAME);
        assertThat(transportOf(0, 1000)).as("a restart").isEqualTo(TcpTransport.NAME);
    }

    /** Each of the attempts before may have been ended by native code, on another host. */
    @Test
    void theLastAttemptThatMayFailUsesTcp() {
        assertThat(transportOf(0, 2)).isEqualTo(NATIVE);
        assertThat(transportOf(1, 3)).isEqualTo(TcpTransport.NAME);
        assertThat(transportOf(1, 1003)).isEqualTo(TcpTransport.NAME);
        settings.put("mapreduce.reduce.maxattempts", "1");
        assertThat(transportOf(2, 0)).as("the only one").isEqualTo(NATIVE);
    }

    @Test
    void withoutAFolderForSignsOnlyFirstAttemptsUseNativeCode() {
        settings.remove("mapreduce.job.local.dir");
        assertThat(transportOf(0, 0)).isEqualTo(NATIVE);
        assertThat(transportOf(0, 1)).isEqualTo(TcpTransport.NAME);
    }

    /** Never asked for anything: the test opens no node. */
    private static final class Native implements TransportProvider {
        @Override
        public String name() {
            return NATIVE;
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> all) {
            return Optional.empty();
        }

        @Override
        public Transport newTransport(final Function<String, String> all) throws IOException {
            throw new IOException("not in this test");
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> all,
                final long epoch)
                throws IOException {
            throw new IOException("not in this test");
        }
    }
}
