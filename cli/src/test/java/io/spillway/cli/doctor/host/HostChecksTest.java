// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.SettingsCheck;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.version.Release;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults planted on a host that is healthy else: each is found, by the check that is for it. */
class HostChecksTest {
    private static final String OWN = "192.0.2.1";

    @TempDir private Path folder;
    private FakeHost host;
    private Path jars;
    private Path javaHome;

    @BeforeEach
    void makeHealthyHost() throws IOException {
        host = new FakeHost(Files.createDirectory(folder.resolve("host")));
        jars = Files.createDirectory(folder.resolve("jars"));
        jar("spillway-hadoop-0.1.0.jar", "classes");
        javaHome = java("17.0.9");
        host.set("yarn.nodemanager.local-dirs", host.folder("disk1").toString())
                .set(
                        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
                        "100.0");
    }

    private Path jar(final String name, final String content) throws IOException {
        final Path jar = Files.writeString(jars.resolve(name), content);
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        return jar;
    }

    private Path java(final String version) throws IOException {
        final Path home = folder.resolve("jdk-" + version);
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(
                home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(home.resolve("bin/java"), "");
        Files.setPosixFilePermissions(
                home.resolve("bin/java"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private List<Check> checks() {
        final SiteFacts site = host.site();
        final HostFiles files = host.files();
        return List.of(
                javaCheck(javaHome, "3.5.0"),
                new HadoopCheck(List.of(), "3.5.0"),
                new LogindCheck(files),
                new TemporaryFolderCheck(files, folder),
                jarCheck(),
                new HandlerCheck(site),
                new PropertiesCheck(site),
                new ConflictsCheck(site),
                new SettingsCheck(site.properties()),
                new MemoryTierCheck(site),
                new UcxCheck(files, site, () -> ""),
                new MpiCheck(site),
                nodeProcess(Release.VERSION),
                new LimitsCheck(files, site),
                new ListenQueueCheck(files, site),
                new LocalDirsCheck(files, site),
                new SharedDirectoryCheck(files, site, ""),
                names("node1"),
                new NetworksCheck(files, site),
                new PortsCheck(files, site));
    }

    private static Check javaCheck(final Path home, final String hadoop) {
        return new JavaCheck(Map.of("NodeManager 4711", home), hadoop);
    }

    private Check nodeProcess(final String version) {
        return new NodeProcessCheck(
                host.files(),
                host.site(),
                () -> {
                    if (version.isEmpty()) {
                        throw new IOException("No such file or directory");
                    }
                    return "{\"version\":\"" + version + "\",\"notServed\":{}}";
                });
    }

    private JarCheck jarCheck() {
        return new JarCheck(host.site(), List.of(jars + "/*", "/nowhere/*"));
    }

    private Check names(final String hostName) {
        return new NamesCheck(
                host.site(),
                hostName,
                HostChecksTest::resolve,
                address -> address.getHostAddress().equals(OWN));
    }

    /** A name service of its own: what is in a machine's is none of a test's. */
    private static InetAddress[] resolve(final String name) throws UnknownHostException {
        return switch (name) {
            case "node1", "rm" -> new InetAddress[] {InetAddress.getByName(OWN)};
            case "elsewhere" -> new InetAddress[] {InetAddress.getByName("192.0.2.7")};
            case "looped" -> new InetAddress[] {InetAddress.getByName("127.0.1.1")};
            default -> throw new UnknownHostException(name);
        };
    }

    private static Finding only(final Check check) throws IOException {
        assertThat(check.look()).hasSize(1);
        return check.look().get(0);
    }

    private static void assertFound(final Check check, final Severity severity, final String what)
            throws IOException {
        assertThat(only(check).severity()).isEqualTo(severity);
        assertThat(only(check).what()).contains(what);
        assertThat(only(check).mend()).isNotBlank();
    }

    @Test
    void aHealthyHostHasNoFindings() throws IOException {
        final List<Finding> findings = new ArrayList<>();
        for (final Check check : checks()) {
            findings.addAll(check.look());
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void allChecksHaveNamesOfTheirOwn() {
        assertThat(checks().stream().map(Check::name).distinct()).hasSameSizeAs(checks());
    }

    @Nested
    class OfJavaAndHadoop {
        @Test
        void anOldJavaIsFound() throws IOException {
            assertFound(javaCheck(java("1.8.0_392"), "3.4.2"), Severity.ERROR, "Java 8 of");
        }

        @Test
        void aJavaThatHadoopDoesNotRunOnIsFound() throws IOException {
            assertFound(javaCheck(java("24.0.1"), "3.4.2"), Severity.ERROR, "Java 24");
            assertFound(javaCheck(java("24.0.1"), "3.5.0"), Severity.WARNING, "Java 24");
        }

        @Test
        void aMissingJavaIsFound() throws IOException {
            assertFound(javaCheck(folder.resolve("gone"), "3.5.0"), Severity.ERROR, "has no Java");
        }

        @Test
        void theJavaOfTasksIsFoundInTheirEnvironment() {
            host.set("mapreduce.map.env", "A=b,JAVA_HOME=/opt/jdk8, C=d");
            host.set("mapreduce.reduce.env.JAVA_HOME", "/opt/jdk11");

            assertThat(JavaHomes.all(host.files(), Map.of(), Optional.of(host.site())))
                    .containsEntry("mapreduce.map.env", Path.of("/opt/jdk8"))
                    .containsEntry("mapreduce.reduce.env", Path.of("/opt/jdk11"));
        }

        @Test
        void anOldHadoopIsFoundInAVendorsLayout() throws IOException {
            host.write("usr/lib/hadoop/hadoop-common-3.1.1.7.1.7.0-551.jar", "");
            host.write(
                    "opt/cloudera/parcels/CDH-7.1/lib/hadoop/hadoop-common-3.1.1.7.1.7.0-551.jar",
                    "");

            final List<HadoopHome> homes = HadoopHome.all(host.files(), Map.of());

            assertThat(homes)
                    .extracting(HadoopHome::version)
                    .containsOnly("3.1.1.7.1.7.0-551")
                    .hasSize(2);
            assertFound(new HadoopCheck(homes, ""), Severity.ERROR, "Hadoop 3.1.1.7");
        }

        @Test
        void twoVersionsOfHadoopAreFound() throws IOException {
            host.write("opt/hadoop-3.4.2/share/hadoop/common/hadoop-common-3.4.2.jar", "");
            host.write("opt/hadoop-3.4.2/share/hadoop/common/hadoop-common-3.4.2-tests.jar", "");
            host.write("usr/lib/hadoop/hadoop-common-3.5.0.jar", "");

            assertFound(
                    new HadoopCheck(HadoopHome.all(host.files(), Map.of()), "3.5.0"),
                    Severity.WARNING,
                    "3.5.0 in");
        }
    }

    @Nested
    class OfTheJar {
        @Test
        void aMissingJarIsFound() throws IOException {
            Files.delete(jars.resolve("spillway-hadoop-0.1.0.jar"));

            assertFound(jarCheck(), Severity.ERROR, "no spillway-hadoop jar");
        }

        @Test
        void twoJarsThatDifferAreFound() throws IOException {
            jar("spillway-hadoop-0.0.9.jar", "other classes");

            assertFound(jarCheck(), Severity.ERROR, "several spillway-hadoop jars");
        }

        @Test
        void aCopyOfTheJarIsAWarning() throws IOException {
            jar("spillway-hadoop-0.1.0-copy.jar", "classes");

            assertFound(jarCheck(), Severity.WARNING, "several spillway-hadoop jars");
        }

        @Test
        void aJarThatOnlyItsOwnerReadsIsFound() throws IOException {
            Files.setPosixFilePermissions(
                    jars.resolve("spillway-hadoop-0.1.0.jar"),
                    PosixFilePermissions.fromString("rw-------"));

            assertFound(jarCheck(), Severity.ERROR, "is not readable by all");
        }

        @Test
        void anEmptyClassPathOfTheAuxServiceIsFound() throws IOException {
            host.set(
                    "yarn.nodemanager.aux-services.mapreduce_shuffle.classpath",
                    folder.resolve("gone") + "/*");

            assertFound(jarCheck(), Severity.ERROR, "no jar there");
        }
    }

    @Nested
    class OfTheConfiguration {
        @Test
        void noAuxServiceIsFound() throws IOException {
            host.set("yarn.nodemanager.aux-services", "spark_shuffle");

            assertFound(new HandlerCheck(host.site()), Severity.ERROR, "no mapreduce_shuffle");
        }

        @Test
        void aMisspeltHandlerIsFound() throws IOException {
            host.set(
                    "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                    "io.spillway.SpillwayShuffleHandler");

            assertFound(new HandlerCheck(host.site()), Severity.ERROR, "no such class");
        }

        @Test
        void hadoopsOwnHandlerIsFound() throws IOException {
            host.set(
                    "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                    "org.apache.hadoop.mapred.ShuffleHandler");

            assertFound(new HandlerCheck(host.site()), Severity.WARNING, "ShuffleHandler");
        }

        @Test
        void aMisspeltCollectorIsFound() throws IOException {
            host.set(
                    "mapreduce.job.map.output.collector.class",
                    "io.spillway.hadoop.SpilwayCollector");

            assertFound(new PropertiesCheck(host.site()), Severity.ERROR, "SpilwayCollector");
        }

        @Test
        void halfASetOfPropertiesIsFound() throws IOException {
            host.set(
                    "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                    "org.apache.hadoop.mapreduce.task.reduce.Shuffle");

            assertFound(new PropertiesCheck(host.site()), Severity.WARNING, "consumer.plugin");
        }

        @Test
        void encryptionThatTakesThePlaceOfSpillwayIsFound() throws IOException {
            host.stockReason("intermediate data is encrypted");

            assertFound(new ConflictsCheck(host.site()), Severity.WARNING, "is encrypted");
        }

        @Test
        void aMisspeltSettingIsFoundWithTheNearestName() throws IOException {
            host.set("spillway.store.memory.limt", "4g");

            assertFound(
                    new SettingsCheck(host.site().properties()),
                    Severity.WARNING,
                    "the nearest is spillway.store.memory.limit");
        }

        @Test
        void aValueOutOfItsRangeIsFound() throws IOException {
            host.set("spillway.node.max.connections", "many");

            assertFound(
                    new SettingsCheck(host.site().properties()),
                    Severity.ERROR,
                    "spillway.node.max.connections=many: expected integer");
        }
    }

    @Nested
    class OfMemoryAndDisks {
        @Test
        void aHostWithoutRoomForTheMemoryTierIsFound() throws IOException {
            host.tier(new SiteFacts.Tier("memory", "/dev/shm", 0, "what YARN leaves", false));

            assertFound(new MemoryTierCheck(host.site()), Severity.WARNING, "what YARN leaves");
        }

        @Test
        void aMemoryTierOnADiskIsFound() throws IOException {
            host.tier(
                    new SiteFacts.Tier(
                            "memory", "/data", 0, "/data is on ext4, expected tmpfs", true));

            assertFound(new MemoryTierCheck(host.site()), Severity.ERROR, "is on ext4");
        }

        @Test
        void aFullMemoryTierIsFound() throws IOException {
            host.set("spillway.store.memory.reserve", "60t");

            assertFound(new MemoryTierCheck(host.site()), Severity.WARNING, "left");
        }

        @Test
        void aMemoryTierThatIsSwitchedOffIsMeantSo() throws IOException {
            host.tier(new SiteFacts.Tier("memory", "/dev/shm", 0, "is set", false));
            host.set("spillway.store.memory.limit", "0");

            assertThat(new MemoryTierCheck(host.site()).look()).isEmpty();
        }

        @Test
        void removalOfSharedMemoryAtLogoutIsFound() throws IOException {
            host.nodeManager(4711, 65536, 1001);

            assertFound(new LogindCheck(host.files()), Severity.WARNING, "RemoveIPC=yes");
            host.write("etc/systemd/logind.conf.d/hadoop.conf", "[Login]\nRemoveIPC=no\n");
            assertThat(new LogindCheck(host.files()).look()).isEmpty();
        }

        @Test
        void aDiskMountedReadOnlyIsFound() throws IOException {
            host.write(
                    "proc/self/mounts",
                    "/dev/vda / ext4 rw 0 0\n/dev/sdb "
                            + host.folder("disk1")
                            + " xfs ro,noatime 0 0\n");

            assertFound(new LocalDirsCheck(host.files(), host.site()), Severity.ERROR, "read-only");
        }

        @Test
        void aFullDiskIsFound() throws IOException {
            host.set(
                    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
                    "0");

            assertFound(new LocalDirsCheck(host.files(), host.site()), Severity.ERROR, "% full");
        }

        @Test
        void aDiskThatCannotBeWrittenIsFound() throws IOException {
            Files.setPosixFilePermissions(
                    host.folder("disk1"), PosixFilePermissions.fromString("r-xr-xr-x"));

            assertFound(
                    new LocalDirsCheck(host.files(), host.site()),
                    Severity.ERROR,
                    "cannot be written");
        }

        @Test
        void aMissingDiskIsFound() throws IOException {
            host.set("yarn.nodemanager.local-dirs", folder.resolve("gone").toString());

            assertFound(
                    new LocalDirsCheck(host.files(), host.site()), Severity.WARNING, "not there");
        }

        @Test
        void aTemporaryFolderWithoutExecutionIsFound() throws IOException {
            host.write(
                    "proc/self/mounts",
                    "/dev/vda / ext4 rw 0 0\ntmpfs " + folder + " tmpfs rw,nosuid,noexec 0 0\n");

            assertFound(new TemporaryFolderCheck(host.files(), folder), Severity.WARNING, "noexec");
        }

        @Test
        void aSharedDirectoryOnALocalDiskIsFound() throws IOException {
            host.set("spillway.store.lustre.dir", host.folder("scratch").toString());

            assertFound(
                    new SharedDirectoryCheck(host.files(), host.site(), ""),
                    Severity.WARNING,
                    "is on ext4");
            assertThat(host.folder("scratch")).isEmptyDirectory();
        }

        @Test
        void lustreWithoutItsCommandIsFound() throws IOException {
            final Path scratch = host.folder("scratch").toRealPath();
            host.set("spillway.store.lustre.dir", scratch.toString());
            host.write("proc/self/mounts", "mds@o2ib:/fs " + scratch + " lustre rw,flock 0 0\n");

            assertFound(
                    new SharedDirectoryCheck(host.files(), host.site(), "/nowhere"),
                    Severity.WARNING,
                    "no command lfs");
        }

        @Test
        void lustreThatKeepsOtherStripesIsFound() throws IOException {
            final Path scratch = host.folder("scratch").toRealPath();
            host.set("spillway.store.lustre.dir", scratch.toString());
            host.set("spillway.store.lustre.stripe.count", "4");
            host.write("proc/self/mounts", "mds@o2ib:/fs " + scratch + " lustre rw,flock 0 0\n");
            final Path commands = host.folder("bin").toRealPath();
            final SharedDirectoryCheck check =
                    new SharedDirectoryCheck(host.files(), host.site(), commands.toString());

            host.command("bin/lfs", "echo 'stripe_count:  4 stripe_size:   268435456'");
            assertThat(check.look()).isEmpty();
            host.command("bin/lfs", "echo 'stripe_count:  1 stripe_size:   1048576'");
            assertFound(check, Severity.WARNING, "expected stripe_count: 4");
            host.command("bin/lfs", "echo 'error on ioctl: Permission denied (13)' >&2; exit 13");
            assertFound(check, Severity.WARNING, "exit code 13: error on ioctl");
            assertThat(scratch).isEmptyDirectory();
        }
    }

    @Nested
    class OfNetworks {
        @Test
        void aLimitOfFewOpenFilesIsFound() throws IOException {
            host.nodeManager(4711, 1024, 120);

            assertFound(
                    new LimitsCheck(host.files(), host.site()),
                    Severity.WARNING,
                    "NodeManager 4711 may open 1024 files");
        }

        @Test
        void aShortListenQueueIsFound() throws IOException {
            host.write("proc/sys/net/core/somaxconn", "128");
            host.set("mapreduce.shuffle.listen.queue.size", "1024");

            assertFound(
                    new ListenQueueCheck(host.files(), host.site()),
                    Severity.WARNING,
                    "net.core.somaxconn=128");
        }

        @Test
        void aNameThatIsLoopbackIsFound() throws IOException {
            assertFound(names("looped"), Severity.ERROR, "127.0.1.1");
        }

        @Test
        void aNameOfAnotherHostIsFound() throws IOException {
            host.set("spillway.node.host", "elsewhere");

            assertFound(names("node1"), Severity.ERROR, "no interface of this host has");
        }

        @Test
        void aNameWithoutAnAddressIsFound() throws IOException {
            assertFound(names("nobody"), Severity.ERROR, "has no address");
        }

        @Test
        void aSecondNetworkIsWorthANote() throws IOException {
            for (final String link : List.of("eth0", "ib0")) {
                host.write("sys/class/net/" + link + "/device/vendor", "0x15b3");
                host.write("sys/class/net/" + link + "/operstate", "up\n");
            }
            host.write("sys/class/net/docker0/operstate", "up\n");

            assertFound(new NetworksCheck(host.files(), host.site()), Severity.NOTE, "eth0, ib0");
        }

        @Test
        void aShuffleThatNobodyServesIsFound() throws IOException {
            host.write("proc/net/tcp", FakeHost.listening(8042));

            assertFound(
                    new PortsCheck(host.files(), host.site()), Severity.ERROR, "nobody listens");
        }

        @Test
        void aPortThatIsTakenIsFound() throws IOException {
            host.set("spillway.node.tcp.port", "13600");
            host.write("proc/net/tcp6", FakeHost.listening(13600));

            assertFound(new PortsCheck(host.files(), host.site()), Severity.WARNING, "taken");
        }

        @Test
        void aClockThatIsBehindIsFound() throws IOException {
            final HttpServer manager =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            manager.createContext(
                    "/",
                    exchange -> {
                        exchange.sendResponseHeaders(200, -1);
                        exchange.close();
                    });
            manager.start();
            try {
                final URI uri = URI.create("http://127.0.0.1:" + manager.getAddress().getPort());
                final Clock behind = Clock.fixed(Instant.now().minusSeconds(90), ZoneOffset.UTC);

                assertThat(new ClockCheck(uri, Clock.systemUTC()).look()).isEmpty();
                assertThat(only(new ClockCheck(uri, behind)).severity())
                        .isEqualTo(Severity.WARNING);
                assertThat(only(new ClockCheck(uri, behind)).what()).contains("s behind");
                assertFound(
                        new ClockCheck(uri, Clock.offset(behind, Duration.ofDays(1))),
                        Severity.ERROR,
                        "s ahead of");
            } finally {
                manager.stop(0);
            }
        }

        @Test
        void aResourceManagerThatIsGoneIsFound() throws IOException {
            assertFound(
                    new ClockCheck(URI.create("http://127.0.0.1:1"), Clock.systemUTC()),
                    Severity.ERROR,
                    "does not answer");
        }
    }

    @Nested
    class OfTheNodeProcess {
        @Test
        void oneOfAnotherReleaseIsFound() throws IOException {
            assertFound(nodeProcess("0.0.9"), Severity.WARNING, "is Spillway 0.0.9");
        }

        @Test
        void oneThatTheNodeManagerShouldHaveStartedIsMissed() throws IOException {
            assertThat(nodeProcess("").look()).isEmpty();
            host.set("spillway.node.launch", "true");

            assertFound(nodeProcess(""), Severity.WARNING, "no node process of this user");
        }

        @Test
        void aShortListenQueueIsFound() throws IOException {
            host.write("proc/sys/net/core/somaxconn", "128");
            assertThat(new ListenQueueCheck(host.files(), host.site()).look()).isEmpty();
            host.write("proc/9/cmdline", "java\0io.spillway.node.process.NodeMain\0");

            assertFound(
                    new ListenQueueCheck(host.files(), host.site()),
                    Severity.WARNING,
                    "node process");
        }
    }

    @Nested
    class OfNativeCode {
        @Test
        void anRdmaDeviceWithoutUcxIsFound() throws IOException {
            host.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");

            assertFound(
                    new UcxCheck(host.files(), host.site(), () -> "ucx: libucp cannot be loaded"),
                    Severity.WARNING,
                    "libucp");
        }

        @Test
        void ucxThatIsAskedForAndMissingIsFound() throws IOException {
            host.set("spillway.transport", "ucx");

            assertFound(
                    new UcxCheck(host.files(), host.site(), () -> "ucx: libucp cannot be loaded"),
                    Severity.ERROR,
                    "libucp");
        }

        @Test
        void aScopeOfPtraceThatForbidsCopiesIsWorthANote() throws IOException {
            host.set("spillway.transport", "ucx");
            host.write("proc/sys/kernel/yama/ptrace_scope", "1\n");

            assertFound(
                    new UcxCheck(host.files(), host.site(), () -> ""),
                    Severity.NOTE,
                    "ptrace_scope=1");
        }

        @Test
        void mpiWithoutItsCompilerIsFound() throws IOException {
            host.set("spillway.transport", "mpi");
            host.set("spillway.mpi.compiler", "/opt/no/bin/mpicc");

            assertFound(new MpiCheck(host.site()), Severity.ERROR, "/opt/no/bin/mpicc");
        }

        @Test
        void anMpiLibraryThatIsGoneIsFound() throws IOException {
            host.set("spillway.transport", "mpi");
            host.set("spillway.mpi.library", "/opt/no/libspillway-mpi.so");

            assertFound(new MpiCheck(host.site()), Severity.ERROR, "no file that can be read");
        }
    }
}
