// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.doctor.host.HadoopClient;
import io.spillway.cli.doctor.host.HostDoctor;
import io.spillway.cli.doctor.host.HostFiles;
import io.spillway.cli.doctor.host.ResourceManagerAddress;
import io.spillway.cli.doctor.yarn.YarnDoctor;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.Rest;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.compare.workload.WordCountWorkload;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.report.ShuffleCounter;
import io.spillway.version.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local cluster of Hadoop 3.5.0 with two nodes: what it can do, and both engines on it. */
class LocalClusterIT {
    private static final long MIB = 1L << 20;

    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        cluster = Clusters.start(ClusterSpec.defaults().withName("it-local"));
    }

    @AfterAll
    static void stop() {
        if (cluster == null) {
            return;
        }
        cluster.close();
        assertThat(MarkedProcesses.find(cluster.clientEnvironment().get(MarkedProcesses.VARIABLE)))
                .isEmpty();
        assertThat(Clusters.work().cluster(cluster.spec().name())).doesNotExist();
    }

    @Nested
    class Itself {
        private Path input() throws IOException {
            final Path input = Files.createDirectories(Path.of(cluster.dataFolder(), "in"));
            Files.writeString(input.resolve("a"), "to be or not to be\n");
            Files.writeString(input.resolve("b"), "to do\n");
            return input;
        }

        @Test
        void runsWordCountAndKeepsItsFigures() throws IOException {
            final Path output = Path.of(cluster.dataFolder(), "counts");
            final JobResult result =
                    cluster.submit(
                            JobSpec.example("wordcount", input().toString(), output.toString()));

            assertThat(result.succeeded()).isTrue();
            assertThat(output.resolve("part-r-00000"))
                    .hasContent("be\t2\ndo\t1\nnot\t1\nor\t1\nto\t3\n");
            final JobFigures job =
                    cluster.history().job(result.lastJobId(), Duration.ofSeconds(30));
            assertThat(job.maps()).isEqualTo(2);
            assertThat(job.reduces()).isEqualTo(1);
            assertThat(job.task("SHUFFLED_MAPS").total()).isEqualTo(2);
            assertThat(job.stages().meanShuffle()).isPositive();
        }

        @Test
        void tellsWhyAJobFailed() throws IOException {
            final Path output = Path.of(cluster.dataFolder(), "never");
            final JobResult result =
                    cluster.submit(
                            JobSpec.example("wordcount", input().toString(), output.toString())
                                    .with(
                                            Map.of(
                                                    "mapreduce.map.java.opts", "-Xbogus",
                                                    "mapreduce.map.maxattempts", "1")));

            assertThat(result.succeeded()).isFalse();
            assertThat(new FailureReport(cluster).describe("wordcount", result))
                    .contains("wordcount failed", "Unrecognized option: -Xbogus", "client.log");
        }

        @Test
        void isFoundByItsNameAndKnowsItsDaemons() {
            final LocalCluster found =
                    LocalCluster.attach(Clusters.work(), cluster.spec().name()).orElseThrow();

            assertThat(found.status().isComplete()).isTrue();
            assertThat(LocalCluster.names(Clusters.work())).contains(cluster.spec().name());
            assertThatThrownBy(
                            () ->
                                    LocalCluster.define(
                                            Clusters.work(), cluster.spec(), List.of(), note -> {}))
                    .hasMessageContaining("runs already");
        }

        @Test
        void aKilledNodeManagerIsMissedAndComesBack() {
            cluster.daemons().killNodeManager(1);
            assertThat(cluster.status().isComplete()).isFalse();
            assertThatThrownBy(() -> cluster.daemons().killNodeManager(1))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("nodemanager-1 does not run");
            cluster.daemons().restartNodeManager(1);

            assertThat(cluster.status().isComplete()).isTrue();
        }
    }

    @Nested
    class Engines {
        private void assertServedBySpillway(final JobFigures job) {
            assertThat(Clusters.figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            assertThat(Clusters.figure(job, ShuffleCounter.FETCH_HTTP_BYTES)).isZero();
            assertThat(Clusters.figure(job, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        }

        @Test
        void wordCountWithACombinerAndManySpillsAgrees() {
            final ComparisonResult result =
                    Clusters.compare(
                            cluster,
                            new WordCountWorkload(),
                            24 * MIB,
                            OutputCheck.NONE,
                            Map.of("mapreduce.task.io.sort.mb", "1"));

            assertThat(result.disagreements()).isEmpty();
            assertThat(result.outputsIdentical()).isTrue();
            assertServedBySpillway(Clusters.spillwayRun(result));
        }

        /** With a buffer of which a reducer's data is ten times as much: all of it is windows. */
        @Test
        void teraSortAgreesInModeHadoopAAndWithWindowsOfOneSize() {
            final ComparisonResult result =
                    Clusters.compare(
                            cluster,
                            new TeraSortWorkload(),
                            24 * MIB,
                            OutputCheck.NONE,
                            Map.of("spillway.shuffle.buffer.bytes", "1m"),
                            Engine.HADOOP_A,
                            Engine.STATIC);

            assertThat(result.disagreements()).isEmpty();
            assertThat(result.outputsIdentical()).isTrue();
            assertThat(result.runs())
                    .filteredOn(run -> run.engine().engine() != Engine.STOCK)
                    .hasSize(2)
                    .allSatisfy(run -> assertServedBySpillway(run.figures()));
        }
    }

    /** The cluster as a Hadoop that somebody else has installed. */
    @Nested
    class Installed {
        private static final Set<String> OF_MACHINE =
                Set.of("limits", "listen-queue", "temporary-folder");

        private static final String HANDLER =
                "yarn.nodemanager.aux-services.mapreduce_shuffle.class";

        @Test
        void theJarHoldsNothingOfWhatMeasuresIt() throws IOException {
            try (ZipFile jar = new ZipFile(PlugIn.ofThisBuild().engine().toFile())) {
                assertThat(jar.stream().map(ZipEntry::getName))
                        .contains("io/spillway/hadoop/SpillwayCollector.class", "META-INF/NOTICE")
                        .noneMatch(name -> name.matches("io/spillway/(lab|cli)/.*"));
            }
        }

        /** The jar travels with the job; nothing but the page's properties turns Spillway on. */
        @Test
        void isFoundByItsEnvironmentAndSortsByTheInstructionsOfARelease(@TempDir final Path home)
                throws Exception {
            final PlugIn built = PlugIn.ofThisBuild();
            final ReleaseArchive release = ReleaseArchive.of(built.engine(), home);
            final Map<String, String> ofNodes = new TreeMap<>(release.properties());
            final Map<String, String> ofJobs = new TreeMap<>(ofNodes);
            ofNodes.keySet().retainAll(Set.of(HANDLER));
            ofJobs.keySet().removeAll(ofNodes.keySet());
            assertThat(ofNodes).containsEntry(HANDLER, ClusterConf.SPILLWAY_HANDLER);
            assertThat(ofJobs).hasSize(2);
            final Path folder = Clusters.work().cluster(cluster.spec().name());
            install(home, cluster.clientClassPath());
            final InstalledHadoop installed =
                    InstalledHadoop.find(
                                    Clusters.work(),
                                    new PlugIn(release.jar()),
                                    Map.of(
                                            "HADOOP_HOME",
                                            home.toString(),
                                            "HADOOP_CONF_DIR",
                                            folder.resolve("conf/master").toString()))
                            .orElseThrow();
            final Path input = Files.createDirectories(Path.of(cluster.dataFolder(), "in2"));
            Files.writeString(input.resolve("a"), "to\t1\nbe\t2\n");
            Files.writeString(input.resolve("b"), "or\t3\nnot\t4\n");
            final Path output = Path.of(cluster.dataFolder(), "sorted2");
            final JobSpec sort =
                    sort(input, output).with(installed.plugInProperties()).with(ofJobs);
            final JobResult result = new JobClient(installed).run(sort, JobListener.NONE);

            assertThat(result.succeeded())
                    .as(() -> new FailureReport(installed).describe("sort", result))
                    .isTrue();
            assertThat(output.resolve("part-r-00000")).hasContent("be\t2\nnot\t4\nor\t3\nto\t1\n");
            final JobFigures job =
                    cluster.history().job(result.lastJobId(), Duration.ofSeconds(30));
            assertThat(Clusters.figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        }

        /** What an archive of Hadoop has, as far as a client looks at it. */
        private void install(final Path home, final List<String> classPath) throws IOException {
            final Path hadoop = home.resolve("bin/hadoop");
            Files.createDirectories(hadoop.getParent());
            Files.writeString(
                    hadoop,
                    "#!/bin/sh\n[ $1 = classpath ] && echo " + String.join(":", classPath) + "\n");
            Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwxr-xr-x"));
            final Path examples = Files.createDirectories(home.resolve("share/hadoop/mapreduce"));
            Files.createSymbolicLink(
                    examples.resolve(cluster.examplesJar().getFileName()), cluster.examplesJar());
        }

        /** The files of the first NodeManager's host, with the properties of jobs. */
        private Path configuration(final Path folder) throws IOException {
            final Path own = Clusters.work().cluster(cluster.spec().name()).resolve("conf/node-0");
            final Path conf = Files.createDirectories(folder.resolve("conf"));
            for (final String file : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
                Files.writeString(
                        conf.resolve(file),
                        ConfFile.append(
                                Files.readString(own.resolve(file)),
                                file.startsWith("mapred")
                                        ? Engine.SPILLWAY.jobProperties()
                                        : Map.of()));
            }
            return conf;
        }

        /** What is wrong with the machine that the test runs on is none of the cluster's faults. */
        private List<Finding> faults(final HostFindings host) {
            return host.findings().stream()
                    .filter(finding -> finding.severity() != Severity.NOTE)
                    .filter(finding -> !OF_MACHINE.contains(finding.check()))
                    .toList();
        }

        @Test
        void theDoctorFindsItHealthyAndANodeManagerWithoutTheAuxService(@TempDir final Path home)
                throws IOException {
            final List<String> classPath = new ArrayList<>(cluster.clientClassPath());
            classPath.add(PlugIn.ofThisBuild().engine().toString());
            install(home, classPath);
            final HostDoctor doctor =
                    new HostDoctor(
                            Clusters.work(),
                            PlugIn.ofThisBuild(),
                            "localhost",
                            HostFiles.ofThisHost(),
                            Map.of(
                                    "HADOOP_HOME",
                                    home.toString(),
                                    "HADOOP_CONF_DIR",
                                    configuration(home).toString()));
            final HadoopClient client = doctor.client();
            final Map<String, String> site = client.facts().properties();
            final YarnDoctor ofNodes =
                    new YarnDoctor(
                            Rest.DIRECT,
                            ResourceManagerAddress.of(site).orElseThrow(),
                            site,
                            client.versions());

            final HostFindings host = doctor.examine();
            final DoctorReport nodes = ofNodes.examine();

            assertThat(faults(host)).isEmpty();
            assertThat(host.facts()).containsEntry("hadoop", "3.5.0").containsKey("spillway jar");
            assertThat(nodes.findings()).isEmpty();
            assertThat(nodes.hosts())
                    .hasSize(2)
                    .allSatisfy(
                            node -> {
                                assertThat(node.findings()).isEmpty();
                                assertThat(node.facts())
                                        .containsEntry("hadoop", "3.5.0")
                                        .containsEntry("spillway jar", Release.VERSION);
                            });

            cluster.daemons().killNodeManager(1);
            cluster.daemons().restartNodeManager(1, Map.of("yarn.nodemanager.aux-services", ""));
            try {
                assertThat(ofNodes.examine().hosts())
                        .flatExtracting(HostFindings::findings)
                        .extracting(Finding::severity, Finding::check)
                        .containsOnlyOnce(tuple(Severity.ERROR, "aux-service"));
            } finally {
                cluster.daemons().killNodeManager(1);
                cluster.daemons().restartNodeManager(1);
            }
        }

        /** NodeManagers and jobs run with what the command writes, until it undoes that. */
        @Test
        void isInstalledVerifiedAndUndoneByTheCommand(@TempDir final Path home) throws Exception {
            final List<String> classPath = new ArrayList<>(cluster.clientClassPath());
            classPath.add(PlugIn.ofThisBuild().engine().toString());
            install(home, classPath);
            final InstallRun run = new InstallRun(home, plainConfiguration(home));
            final Map<String, String> before = run.files();
            restart(1, Map.of(HANDLER, "org.apache.hadoop.mapred.ShuffleHandler"));

            final InstallRun.Outcome applied = run.of("--apply");
            assertThat(applied.code()).as(applied.output()).isZero();
            assertThat(applied.output()).contains("+++ ").doesNotContain("not checked");
            final Path requests = Files.createDirectories(home.resolve("requests"));
            final Thread restarter = new Thread(() -> restartAsAsked(requests, run.conf()));
            restarter.start();
            final InstallRun.Outcome upgraded =
                    run.of(
                            "--upgrade",
                            "--restart",
                            "f=%s/{host}; touch $f; while [ -e $f ]; do sleep 0.1; done"
                                    .formatted(requests));
            restarter.join();
            assertThat(upgraded.code()).as(upgraded.output()).isZero();
            assertThat(upgraded.output()).contains("2 NodeManagers restarted");
            final InstallRun.Outcome verified = run.of("--verify");
            assertThat(verified.code()).as(verified.output()).isZero();
            assertThat(verified.output()).contains("same output", "over stock HTTP: 0");
            assertThat(run.of("--undo").code()).isZero();
            assertThat(run.files()).isEqualTo(before);
        }

        /** A client's files without Spillway's properties; the jar is on the tasks' class path. */
        private Path plainConfiguration(final Path folder) throws IOException {
            final Path own = Clusters.work().cluster(cluster.spec().name()).resolve("conf/master");
            final Path conf = Files.createDirectories(folder.resolve("plain"));
            for (final String file : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
                Files.copy(own.resolve(file), conf.resolve(file));
            }
            final Path mapred = conf.resolve("mapred-site.xml");
            final String classPath = "mapreduce.application.classpath";
            Files.writeString(
                    mapred,
                    ConfFile.append(
                            Files.readString(mapred),
                            Map.of(
                                    classPath,
                                    ConfFile.read(mapred, classPath).orElseThrow()
                                            + ","
                                            + PlugIn.ofThisBuild().engine())));
            return conf;
        }

        /** Restarts each NodeManager on request, with the handler that the files name then. */
        private void restartAsAsked(final Path requests, final Path conf) {
            try {
                for (final int node : inOrderOfIds()) {
                    awaitFile(requests);
                    restart(
                            node,
                            Map.of(
                                    HANDLER,
                                    ConfFile.read(conf.resolve("yarn-site.xml"), HANDLER)
                                            .orElseThrow()));
                    Files.delete(awaitFile(requests));
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private List<Integer> inOrderOfIds() {
            final Path conf = Clusters.work().cluster(cluster.spec().name()).resolve("conf");
            return IntStream.range(0, 2)
                    .boxed()
                    .sorted(
                            Comparator.comparing(
                                    node ->
                                            ConfFile.read(
                                                            conf.resolve(
                                                                    "node-"
                                                                            + node
                                                                            + "/yarn-site.xml"),
                                                            "yarn.nodemanager.address")
                                                    .orElseThrow()))
                    .toList();
        }

        private static Path awaitFile(final Path folder) throws IOException {
            final long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (System.nanoTime() < deadline) {
                try (Stream<Path> files = Files.list(folder)) {
                    final Optional<Path> first = files.findFirst();
                    if (first.isPresent()) {
                        return first.get();
                    }
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
            throw new IOException("no request in " + folder);
        }

        private void restart(final int node, final Map<String, String> properties) {
            cluster.daemons().killNodeManager(node);
            cluster.daemons().restartNodeManager(node, properties);
        }

        /** Sorts lines by what is before their tab. */
        private static JobSpec sort(final Path input, final Path output) {
            final String formats = "org.apache.hadoop.mapreduce.lib.";
            final String text = "org.apache.hadoop.io.Text";
            return JobSpec.example(
                    "sort",
                    "-r",
                    "1",
                    "-inFormat",
                    formats + "input.KeyValueTextInputFormat",
                    "-outFormat",
                    formats + "output.TextOutputFormat",
                    "-outKey",
                    text,
                    "-outValue",
                    text,
                    input.toString(),
                    output.toString());
        }
    }
}
