// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.JobFigures;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.hosts.HostSupport;
import io.spillway.lab.moosefs.MooseFs;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.report.ShuffleCounter;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A cluster of three emulated hosts, started after a command with another one, which has a
 * distributed file system, was killed; what both leave behind.
 */
@Timeout(600)
class HostsIT {
    private static final int HOSTS = 3;
    private static final HostLink LINK = HostLink.parse("200mbit");
    private static final long TRAFFIC = 20_000_000;
    private static final long PATIENCE_SECONDS = 60;
    private static final Path PROC = Path.of("/proc");

    /** Of other tests that run beside this one. */
    private static final String OTHER_TESTS = "spw";

    private static Set<String> interfaces;
    private static HostLink link;
    private static LocalCluster cluster;

    @BeforeAll
    static void startAfterAKilledCommand() throws Exception {
        assumeTrue(supports(HostLink.NONE), "no network namespaces or no MooseFS here");
        link = supports(LINK) ? LINK : HostLink.NONE;
        interfaces = interfaces();
        final String name = "it-hosts-killed-" + ProcessHandle.current().pid();
        final String id = killCommandWith(name);
        final Set<Path> namespaces = namespaces(id);
        assertThat(namespaces)
                .hasSize(3)
                .doesNotContain(namespace(PROC.resolve("self")).orElseThrow());
        final Set<Path> processes = inside(namespaces);

        cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-hosts-" + ProcessHandle.current().pid())
                                .withSlots(HOSTS)
                                .withEmulatedHosts(HOSTS, link));

        assertNothingLeft(name, id, processes);
    }

    private static boolean supports(final HostLink wanted) {
        try {
            HostSupport.ofThisMachine().require(wanted);
            MooseFs.require(System.getenv("PATH"));
            return true;
        } catch (final BadInputException e) {
            return false;
        }
    }

    /** The mark of the processes that it leaves. */
    private static String killCommandWith(final String name) throws Exception {
        final Process command = HostsCommand.start(name);
        try (BufferedReader output = command.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.readLine()).isEqualTo(HostsCommand.STARTED);
        } finally {
            command.destroyForcibly().waitFor();
        }
        final String id = ClusterState.read(Clusters.work().cluster(name)).orElseThrow().id();
        assertThat(MarkedProcesses.find(id)).isNotEmpty();
        return id;
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster == null) {
            return;
        }
        final String id = mark();
        final Set<Path> namespaces = namespaces(id);
        assertThat(namespaces).hasSize(HOSTS + 1);
        final Set<Path> processes = inside(namespaces);
        cluster.close();
        assertNothingLeft(cluster.spec().name(), id, processes);
    }

    private static String mark() {
        return cluster.clientEnvironment().get(MarkedProcesses.VARIABLE);
    }

    /** No process, namespace, interface, mount, shared memory or file. */
    private static void assertNothingLeft(
            final String name, final String id, final Set<Path> processes)
            throws IOException, InterruptedException {
        final Path folder = Clusters.work().cluster(name);
        assertThat(MarkedProcesses.find(id)).isEmpty();
        awaitEndOf(processes);
        assertThat(interfaces()).isSubsetOf(interfaces);
        assertThat(Files.readString(PROC.resolve("self/mountinfo"))).doesNotContain("/" + name);
        assertThat(ClusterMemory.ofCluster(id)).doesNotExist();
        assertThat(folder).doesNotExist();
    }

    /**
     * Nothing but its processes holds a namespace, and one that was killed does so while the kernel
     * takes it apart. Numbers of namespaces are given again.
     */
    private static void awaitEndOf(final Set<Path> processes) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (processes.stream().anyMatch(process -> namespace(process).isPresent())) {
            assertThat(System.nanoTime()).as("%s still there", processes).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static Set<String> interfaces() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .map(NetworkInterface::getName)
                .filter(name -> !name.startsWith(OTHER_TESTS))
                .collect(Collectors.toSet());
    }

    /** The network namespaces of a cluster's processes. */
    private static Set<Path> namespaces(final String id) {
        return MarkedProcesses.find(id).stream()
                .map(process -> PROC.resolve(String.valueOf(process.pid())))
                .flatMap(process -> namespace(process).stream())
                .collect(Collectors.toSet());
    }

    /** Nothing where the process has ended, or is not for us to look at. */
    private static Optional<Path> namespace(final Path process) {
        try {
            return Optional.of(Files.readSymbolicLink(process.resolve("ns/net")));
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    /** All processes in some network namespaces, with a mark or without. */
    private static Set<Path> inside(final Set<Path> namespaces) throws IOException {
        try (Stream<Path> all = Files.list(PROC)) {
            return all.filter(
                            process -> namespace(process).filter(namespaces::contains).isPresent())
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void bothEnginesSortAlikeAndReducersFetchFromSeveralHosts() {
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        new TeraSortWorkload(),
                        16 << 20,
                        OutputCheck.NONE,
                        // Else reducers may take all hosts but one before the second map starts.
                        Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0"));

        assertThat(result.outputsIdentical()).isTrue();
        final JobFigures job = Clusters.spillwayRun(result);
        assertThat(Clusters.figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        final Set<String> hosts =
                job.reduceReports().stream()
                        .map(reducer -> (Map<?, ?>) reducer.values().get("transport_by_node"))
                        .flatMap(nodes -> nodes.keySet().stream())
                        .map(node -> node.toString().split(":", -1)[0])
                        .collect(Collectors.toSet());
        assertThat(hosts).hasSizeGreaterThan(1).isSubsetOf("host1", "host2", "host3");
        assertThat(cluster.emulation())
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .startsWith("3 hosts emulated on one machine, link ")
                                        .contains(link.describe()));
    }

    @Test
    void eachHostHasItsOwnNameAddressAndSharedMemory() throws Exception {
        final String look = "cat /proc/sys/kernel/hostname; ls -A /dev/shm; echo x >/dev/shm/x";
        for (int node = 0; node < HOSTS; node++) {
            final List<String> seen = on(node, look);
            assertThat(seen).first().isEqualTo("host" + (node + 1));
            assertThat(seen).doesNotContain("x");
            assertThat(on(node, "getent hosts host1 | cut -d' ' -f1"))
                    .singleElement()
                    .asString()
                    .startsWith("10.")
                    .endsWith(".1");
            assertThat(on(node, "ls /sys/class/net")).contains("eth0", "lo").hasSize(2);
        }
        assertThat(ClusterMemory.SHARED.resolve("x")).doesNotExist();
        assertThat(cluster.memoryFolder()).isEmpty();
    }

    private static List<String> on(final int node, final String script) throws Exception {
        final List<String> command = new ArrayList<>(cluster.onHostOf(node));
        command.addAll(List.of("sh", "-c", script));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            final List<String> lines = output.lines().toList();
            assertThat(process.waitFor()).as("%s", lines).isZero();
            return lines;
        }
    }

    @Test
    void aLinkCarriesNoMoreThanItsRate() throws Exception {
        assumeTrue(link.shaped(), "no tc, or no tbf in the kernel");
        final long nanos =
                LinkTraffic.nanos(cluster.onHostOf(0), cluster.onHostOf(1), "host2", TRAFFIC);

        final double bits = 8.0 * (TRAFFIC - link.burstBytes());
        assertThat(bits / (nanos / 1e9)).isLessThan(1.05 * link.bitsPerSecond());
    }

    @Test
    void itIsFoundAndUsedByALaterCommand() {
        final LocalCluster found =
                LocalCluster.attach(Clusters.work(), cluster.spec().name()).orElseThrow();

        assertThat(found.status().isComplete()).isTrue();
        assertThat(found.emulation()).isEqualTo(cluster.emulation());
        assertThat(found.clientPrefix()).isEqualTo(cluster.clientPrefix());
    }
}
