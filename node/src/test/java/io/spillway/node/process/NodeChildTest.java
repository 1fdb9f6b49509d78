// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static io.spillway.node.process.TestManager.await;
import static io.spillway.node.process.TestManager.awaitTcp;
import static io.spillway.node.process.TestManager.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.Sizes;
import io.spillway.node.control.ControlChannel;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ControlFrame;
import io.spillway.node.control.ControlFrameType;
import io.spillway.node.control.ControlSocket;
import io.spillway.node.control.NodeRefusal;
import io.spillway.node.control.StatusClient;
import io.spillway.node.launch.NodeLauncher;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The node process as it is run: a JVM of its own, which is stopped, killed and started again. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NodeChildTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String NOBODY = "65534";
    private static final int SIGTERM = 128 + 15;
    private static final int SIGKILL = 128 + 9;
    private static final long IDLE_SECONDS = 2;
    private static final System.Logger LOG = System.getLogger(NodeChildTest.class.getName());

    @TempDir private Path folder;
    private final TcpTransport transport = new TcpTransport(name -> null);

    @AfterEach
    void close() {
        transport.close();
    }

    private Path socket() {
        return NodeChild.socket(folder);
    }

    private NodeChild start() throws Exception {
        return NodeChild.start(folder, Map.of()).awaitServing();
    }

    private TestManager manager() throws IOException {
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        return manager;
    }

    @Test
    void servesAgainWithAnotherEpochAfterAKill() throws Exception {
        try (ControlClient link = manager().link(socket(), ControlClient.Starter.NONE)) {
            final long epoch;
            final NodeAddress before;
            try (NodeChild child = start()) {
                before = awaitTcp(link);
                epoch = fetch(transport, before, JOB);
                final JobCredentials wrong =
                        new JobCredentials(JOB, "guess".getBytes(StandardCharsets.UTF_8));
                assertThat(TestManager.refusal(transport, before, wrong))
                        .isEqualTo(Reason.UNKNOWN_JOB);
                assertThat(child.log())
                        .contains("the client's proof for " + JOB + " is wrong")
                        .contains("The handler of nm-1 at 127.0.0.1:13562 is connected")
                        .doesNotContain("secret of");
                assertThat(child.kill()).isEqualTo(SIGKILL);
            }
            await("the loss", () -> link.offers().isEmpty());
            assertThat(socket()).exists();
            try (NodeChild child = start()) {
                assertThat(fetch(transport, awaitTcp(link), JOB)).isGreaterThan(epoch);
                assertThat(child.stop()).isEqualTo(SIGTERM);
                assertThat(child.log()).contains("The node process stops");
                assertThat(socket()).doesNotExist();
            }
        }
    }

    @Test
    void aSecondOneSaysWhichRunsAlready() throws Exception {
        try (NodeChild first = start();
                NodeChild second = NodeChild.start(folder, Map.of())) {
            assertThat(second.awaitEnd()).isEqualTo(NodeMain.RUNS_ALREADY);
            assertThat(second.log())
                    .contains("spillway node: a node process runs already: pid " + first.pid());
            assertThat(StatusClient.ask(socket())).contains("\"pid\":" + first.pid());
        }
    }

    /** A JVM of tests has no native library of Hadoop's. */
    @Test
    void refusesManagersWhereItCannotTellWhoseAFileIs() throws Exception {
        Files.writeString(
                Files.createDirectories(folder.resolve("conf")).resolve("core-site.xml"),
                """
                <configuration><property>
                <name>hadoop.security.authentication</name><value>kerberos</value>
                </property></configuration>
                """);
        try (NodeChild child = start();
                ControlChannel channel =
                        ControlSocket.connect(socket(), ControlFrameType.VERSIONS)) {
            channel.send(manager().hello().encode(), TimeUnit.SECONDS.toMillis(30));
            final ControlFrame answer = channel.receive(TimeUnit.SECONDS.toMillis(30));
            assertThat(answer.type()).as(child.log()).isEqualTo(ControlFrameType.REFUSED);
            assertThat(NodeRefusal.decode(answer.body()).message())
                    .startsWith("hadoop.security.authentication=kerberos, and ");
        }
    }

    @Test
    void aWrongSettingIsOneClearLine() throws Exception {
        try (NodeChild child = NodeChild.start(folder, Map.of("spillway.node.grace.ms", "soon"))) {
            assertThat(child.awaitEnd()).isEqualTo(NodeMain.WRONG_INPUT);
            assertThat(child.log())
                    .contains("spillway node: spillway.node.grace.ms=soon: expected milliseconds");
        }
    }

    @Test
    void aSizeThatTheHostDoesNotHaveIsOneClearLine() throws Exception {
        final long host = MemoryBounds.hostBytes();
        try (NodeChild child =
                NodeChild.start(folder, Map.of("spillway.node.prefetch.bytes", "1t"))) {
            assertThat(child.awaitEnd()).isEqualTo(NodeMain.WRONG_INPUT);
            assertThat(child.log().lines().filter(line -> line.contains("prefetch")))
                    .containsExactly(
                            "spillway node: spillway.node.prefetch.bytes=1t: expected at most "
                                    + Sizes.format(MemoryBounds.wholeMegabytes(host))
                                    + ": the host has "
                                    + MemoryBounds.megabytes(host)
                                    + " of memory");
            assertThat(child.log()).doesNotContain("\tat ");
            assertThat(socket()).doesNotExist();
        }
    }

    // ---- supervised ----------------------------------------------------------------------------

    @Test
    void itsSupervisorStartsItAgainAndEndsItWithItself() throws Exception {
        final Path log = folder.resolve("supervised.log");
        final NodeLauncher launcher =
                new NodeLauncher(NodeChild.command(folder, Map.of()), Optional.of(log));
        final long last;
        try (ControlClient link = manager().link(socket(), launcher)) {
            long epoch = fetch(transport, awaitTcp(link), JOB);
            for (int kills = 0; kills < 2; kills++) {
                kill(pid());
                await("the loss", () -> link.offers().isEmpty());
                final long next = fetch(transport, awaitTcp(link), JOB);
                assertThat(next).isGreaterThan(epoch);
                epoch = next;
            }
            last = pid();
            assertThat(ProcessHandle.of(last)).isPresent();
        }
        assertThat(ProcessHandle.of(last).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(socket()).doesNotExist();
        assertThat(Files.readString(log)).contains("The node process stops");
    }

    @Test
    void itsSupervisorGoesOnWhenItCannotBeStarted() throws Exception {
        final Path log = folder.resolve("supervised.log");
        final NodeLauncher launcher =
                new NodeLauncher(
                        NodeChild.command(folder, Map.of("spillway.node.host", "192.0.2.77")),
                        Optional.of(log));
        try (ControlClient link = manager().link(socket(), launcher)) {
            await(
                    "several attempts",
                    () -> Files.exists(log) && lines(log, "cannot serve tcp at 192.0.2.77") >= 3);
            assertThat(link.offers()).isEmpty();
        }
    }

    private static long lines(final Path log, final String text) {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains(text)).count();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private long pid() throws IOException {
        final Matcher pid = Pattern.compile("\"pid\":(\\d+)").matcher(StatusClient.ask(socket()));
        assertThat(pid.find()).isTrue();
        return Long.parseLong(pid.group(1));
    }

    private static void kill(final long pid) {
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    /**
     * As when its NodeManager was killed: it serves on, and then ends by itself. A machine that is
     * too busy for a fetch within the grace is given a longer one.
     */
    @Test
    void endsByItselfWhenNoHandlerComesBack() throws Exception {
        long graceMillis = 2_000;
        while (!servesOnAndEndsByItself(graceMillis)) {
            graceMillis *= 4;
            assertThat(graceMillis).as("a grace that is long enough").isLessThan(40_000);
        }
    }

    /** False where the grace had passed before the handler had come, or a fetch had ended. */
    private boolean servesOnAndEndsByItself(final long graceMillis) throws Exception {
        final Map<String, String> settings =
                Map.of("spillway.node.grace.ms", Long.toString(graceMillis));
        final Process child =
                NodeChild.command(folder, settings)
                        .builder(List.of(NodeMain.END_WHEN_ALONE))
                        .redirectOutput(folder.resolve("alone.log").toFile())
                        .start();
        try {
            final NodeAddress node;
            try (ControlClient link = manager().link(socket(), ControlClient.Starter.NONE)) {
                await("an offer, or its end", () -> !link.offers().isEmpty() || !child.isAlive());
                if (link.offers().isEmpty()) {
                    return false;
                }
                node = awaitTcp(link);
                TimeUnit.MILLISECONDS.sleep(graceMillis * 3 / 2);
                fetch(transport, node, JOB);
            }
            final long alone = System.nanoTime();
            try {
                fetch(transport, node, JOB);
            } catch (final FetchException | ExecutionException e) {
                if (System.nanoTime() - alone < TimeUnit.MILLISECONDS.toNanos(graceMillis)) {
                    throw e;
                }
                return false;
            }
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).isZero();
            assertThat(Files.readString(folder.resolve("alone.log")))
                    .contains("No NodeManager has come back: the node process ends");
            return true;
        } finally {
            child.destroyForcibly();
        }
    }

    // ---- other users ---------------------------------------------------------------------------

    @Test
    void anotherUserIsRefused() throws Exception {
        assumeThat(System.getProperty("user.name"))
                .as("only root can be another")
                .isEqualTo("root");
        assumeThat(Path.of("/usr/bin/setpriv")).exists();
        try (NodeChild child = start()) {
            assertThat(connectAsNobody()).contains("PermissionError");

            // The kernel's word counts, not the permissions alone.
            for (Path path = socket(); path.startsWith(folder); path = path.getParent()) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            }
            assertThat(connectAsNobody()).contains("answer=b''");
            assertThat(child.log())
                    .contains(
                            "Refusing a control connection: user=nobody of the other end,"
                                    + " expected root");
            assertThat(StatusClient.ask(socket())).contains("\"pid\"");
        }
    }

    private String connectAsNobody() throws Exception {
        final String script =
                "import socket,sys\n"
                        + "s=socket.socket(socket.AF_UNIX)\n"
                        + "s.connect(sys.argv[1])\n"
                        + "try:\n"
                        + "  s.sendall(b'SN\\x01\\x0a\\0\\0\\0\\0')\n"
                        + "  print('answer=%r' % s.recv(100))\n"
                        + "except (BrokenPipeError, ConnectionResetError):\n"
                        + "  print(\"answer=b''\")\n";
        assumeThat(Path.of("/usr/bin/python3")).exists();
        final Process process =
                new ProcessBuilder(
                                "/usr/bin/setpriv",
                                "--reuid=" + NOBODY,
                                "--clear-groups",
                                "/usr/bin/python3",
                                "-c",
                                script,
                                socket().toString())
                        .redirectErrorStream(true)
                        .directory(Path.of("/").toFile())
                        .start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    // ---- idle ----------------------------------------------------------------------------------

    /** The target is 1 %; on a machine that is busy, ten times as much would still be noticed. */
    @Test
    void takesHardlyAnyCpuWhenIdle() throws Exception {
        try (NodeChild child = start();
                ControlClient link = manager().link(socket(), ControlClient.Starter.NONE)) {
            awaitTcp(link);
            TimeUnit.SECONDS.sleep(IDLE_SECONDS);
            final long before = cpuTicks(child.pid());
            final long began = System.nanoTime();
            TimeUnit.SECONDS.sleep(2 * IDLE_SECONDS);
            final double seconds = (System.nanoTime() - began) / 1e9;
            final double share = (cpuTicks(child.pid()) - before) / 100.0 / seconds;
            LOG.log(
                    System.Logger.Level.INFO,
                    String.format("an idle node process takes %.2f %% of a core", 100 * share));
            assertThat(share).isLessThan(0.1);
        }
    }

    /** User and system time in hundredths of a second. */
    private static long cpuTicks(final long pid) throws IOException {
        final String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
