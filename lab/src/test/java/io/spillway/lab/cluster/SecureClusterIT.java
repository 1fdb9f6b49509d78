// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.BriefJvm;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.ucx.UcxProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A cluster with Kerberos: HDFS and YARN log in with keytabs, two users have tickets, and tasks run
 * as the users of their jobs.
 */
class SecureClusterIT {
    /** The newest release that fits a libhadoop.so which can be had (lab/pom.xml). */
    private static final String RELEASE = "3.4.2";

    private static final List<String> SERVICES = List.of("hdfs", "yarn", "mapred", "HTTP");
    private static final String ADMINISTRATOR = "hdfs/localhost";
    private static final String FIRST = "daemon";
    private static final String SECOND = "bin";

    private static final int MAPS = 3;
    private static final int REDUCERS = 2;
    private static final int ROWS = 20_000;
    private static final int ROW_LENGTH = 100;

    private static final Deque<AutoCloseable> OPENED = new ArrayDeque<>();
    private static Path folder;
    private static Kdc kdc;
    private static String javaOptions;
    private static LocalCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        assumeThat(Path.of(ContainerExecutor.AS_ANY_USER.get(0))).isExecutable();
        assumeThat(Kdc.obstacle()).as("programs that are missing").isEmpty();
        assumeThat(new UcxProvider().obstacle(name -> null)).as("why ucx cannot be used").isEmpty();
        folder = Clusters.folderForAll("spillway-secure-");
        OPENED.push(() -> WorkFolder.deleteTree(folder));
        final WorkFolder work = new WorkFolder(folder, Clusters.work().repository());
        Clusters.copyHadoop(RELEASE, work);
        kdc =
                Kdc.start(
                        Files.createDirectory(folder.resolve("kdc")),
                        Stream.concat(
                                SERVICES.stream().map(SecureClusterIT::service),
                                Stream.of(FIRST, SECOND)));
        OPENED.push(kdc);
        OPENED.push(JarCopy.use());
        javaOptions =
                "-Djava.security.krb5.conf=%s -Djava.library.path=%s"
                        .formatted(kdc.configuration(), copyNativeLibrary());
        cluster =
                Clusters.start(
                        work,
                        ClusterSpec.defaults()
                                .withName("it-secure")
                                .withHadoopVersion(RELEASE)
                                .withSlots(8)
                                .withFileSystem(ClusterSpec.FileSystemKind.HDFS)
                                .withProperties(ContainerExecutor.properties(folder))
                                .withProperties(logins())
                                .withProperties(properties()),
                        prefix());
        OPENED.push(() -> cluster.stop(true));
        putFiles();
    }

    @AfterAll
    static void stop() throws Exception {
        while (!OPENED.isEmpty()) {
            OPENED.pop().close();
        }
    }

    /** Users may not be allowed to enter the checkout. */
    private static Path copyNativeLibrary() throws IOException {
        final Path unpacked =
                Clusters.work()
                        .repository()
                        .resolve("lab/target/nativelib/Linux-" + System.getProperty("os.arch"));
        final Path target = Files.createDirectory(folder.resolve("native"));
        Files.copy(unpacked.resolve("libhadoop.so"), target.resolve("libhadoop.so"));
        return target;
    }

    private static String service(final String name) {
        return name + "/localhost";
    }

    /** Options of the daemons alone: processes that they start do not inherit them. */
    private static List<String> prefix() {
        final String command = String.join(" ", ContainerExecutor.AS_ANY_USER);
        return List.of("/bin/sh", "-c", "exec " + command + " \"$0\" " + javaOptions + " \"$@\"");
    }

    private static Map<String, String> logins() {
        final Map<String, String> all = new TreeMap<>();
        logIn(all, "dfs.namenode.kerberos.principal", "dfs.namenode.keytab.file", "hdfs");
        logIn(all, "dfs.datanode.kerberos.principal", "dfs.datanode.keytab.file", "hdfs");
        logIn(
                all,
                "dfs.web.authentication.kerberos.principal",
                "dfs.web.authentication.kerberos.keytab",
                "HTTP");
        logIn(all, "yarn.resourcemanager.principal", "yarn.resourcemanager.keytab", "yarn");
        logIn(all, "yarn.nodemanager.principal", "yarn.nodemanager.keytab", "yarn");
        logIn(all, "mapreduce.jobhistory.principal", "mapreduce.jobhistory.keytab", "mapred");
        return all;
    }

    private static void logIn(
            final Map<String, String> all,
            final String principal,
            final String keytab,
            final String name) {
        all.put(principal, Kdc.principal(service(name)));
        all.put(keytab, kdc.keytab().toString());
    }

    private static Map<String, String> properties() {
        final Map<String, String> all = new TreeMap<>();
        all.put("hadoop.security.authentication", "kerberos");
        all.put("hadoop.security.authorization", "true");
        all.put(
                "hadoop.user.group.static.mapping.overrides",
                "dr.who=;hdfs=services;mapred=services;yarn=services");
        all.put("dfs.permissions.superusergroup", "services");
        all.put("dfs.block.access.token.enable", "true");
        all.put("dfs.data.transfer.protection", "authentication");
        // SASL protects the DataNode's port; without HTTPS its pages are plain.
        all.put("ignore.secure.ports.for.testing", "true");
        // The JobHistoryServer closes a common parent folder to users.
        all.put("mapreduce.jobhistory.intermediate-done-dir", "/history-intermediate");
        all.put("mapreduce.jobhistory.done-dir", "/history-done");
        for (final String options :
                List.of(
                        "mapreduce.admin.map.child.java.opts",
                        "mapreduce.admin.reduce.child.java.opts",
                        "yarn.app.mapreduce.am.admin-command-opts",
                        "yarn.nodemanager.container-localizer.admin.java.opts")) {
            all.put(options, javaOptions);
        }
        all.put("spillway.node.launch", "true");
        all.put("spillway.node.heap", "64m");
        // UCX cannot share memory between users.
        all.put("spillway.ucx.tls", "tcp");
        return all;
    }

    /** The input, and a folder for the files of each user's jobs. */
    private static void putFiles() throws IOException {
        final Path staging = Files.createDirectories(folder.resolve("files/staging"));
        final Path data = Files.createDirectories(folder.resolve("files/data"));
        final Random random = new Random(38);
        for (int file = 0; file < MAPS; file++) {
            final byte[] rows = new byte[ROWS * ROW_LENGTH];
            random.nextBytes(rows);
            Files.write(Files.createDirectories(data.resolve("in")).resolve("rows-" + file), rows);
        }
        hdfs("-D", "fs.permissions.umask-mode=000", "-put", staging + "", data + "", "/");
    }

    /** Runs a command of HDFS as its administrator. */
    private static void hdfs(final String... arguments) {
        final JobSpec.Program shell = new JobSpec.Program.Main("org.apache.hadoop.fs.FsShell");
        final JobSpec spec =
                new JobSpec("fs", shell, List.of(arguments), Engine.STOCK, Map.of(), List.of());
        new JobClient(siteOf(List.of(), kdc.ticket(ADMINISTRATOR))).require(spec, JobListener.NONE);
    }

    /** The cluster as clients see it that have a ticket. */
    private static HadoopSite siteOf(final List<String> prefix, final Path ticket) {
        final Map<String, String> environment = new HashMap<>(cluster.clientEnvironment());
        environment.put("KRB5CCNAME", ticket.toString());
        final List<String> options =
                Stream.concat(Stream.of(BriefJvm.ONE_COMPILER), Stream.of(javaOptions.split(" ")))
                        .toList();
        return Clusters.seen(
                cluster,
                Map.of(
                        "clientEnvironment", environment,
                        "clientOptions", options,
                        "clientPrefix", prefix));
    }

    private static HadoopSite siteOf(final String user) throws IOException {
        final Path ticket = kdc.ticket(user);
        Files.setOwner(
                ticket,
                ticket.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user));
        return siteOf(
                List.of("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"),
                ticket);
    }

    /** Two jobs of one user and, beside them, one of another; all sort the same rows. */
    @Test
    void jobsOfTwoUsersGiveTheOutputOfStock() throws Exception {
        final HadoopSite first = siteOf(FIRST);
        final HadoopSite second = siteOf(SECOND);

        final CompletableFuture<JobFigures> beside =
                CompletableFuture.supplyAsync(() -> sort(second, Engine.SPILLWAY, "tcp"));
        sort(first, Engine.STOCK, "stock");
        final JobFigures overUcx = sort(first, Engine.SPILLWAY, "ucx");
        final JobFigures overTcp = beside.get(2, TimeUnit.MINUTES);

        assertServedFromMemory(overTcp);
        assertServedFromMemory(overUcx);
        assertThat(figure(overUcx, ShuffleCounter.FETCH_UCX_BYTES))
                .as("from the node process")
                .isEqualTo(figure(overUcx, ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertTasksWereOf(FIRST, overUcx);
        assertTasksWereOf(SECOND, overTcp);
        assertSameOutputs();
        assertTicketsWereUsed();
    }

    private static JobFigures sort(
            final HadoopSite site, final Engine engine, final String transport) {
        final Map<String, String> properties = new TreeMap<>();
        properties.put("mapreduce.job.reduces", String.valueOf(REDUCERS));
        properties.put("mapreduce.task.io.sort.mb", "1");
        if (engine.needsPlugIn()) {
            properties.put("spillway.transport", transport);
        }
        final JobSpec spec = JobSpec.example("terasort", "/data/in", "/data/" + transport);
        final JobResult result =
                new JobClient(site).require(spec.with(engine).with(properties), JobListener.NONE);
        return cluster.history().job(result.lastJobId(), Duration.ofMinutes(1));
    }

    private static long figure(final JobFigures job, final ShuffleCounter figure) {
        return Clusters.figure(job, figure);
    }

    private static void assertServedFromMemory(final JobFigures job) {
        assertThat(figure(job, ShuffleCounter.SPILL_MEMORY_BYTES)).isPositive();
        assertThat(figure(job, ShuffleCounter.OUTPUT_MEMORY_BYTES)).isPositive();
        assertThat(figure(job, ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
        assertThat(figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(figure(job, ShuffleCounter.FETCH_HTTP_BYTES)).isZero();
        assertThat(figure(job, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        assertThat(figure(job, ShuffleCounter.TRANSPORT_FALLBACKS)).isZero();
    }

    private static void assertTasksWereOf(final String user, final JobFigures job)
            throws IOException {
        final List<Path> logs = cluster.taskLogs(job.jobId());
        assertThat(logs).hasSizeGreaterThan(MAPS + REDUCERS);
        for (final Path log : logs) {
            assertThat(Files.getOwner(log).getName()).as(log.toString()).isEqualTo(user);
        }
    }

    /** Keys are unique, so there is one right order. */
    private static void assertSameOutputs() throws IOException {
        final Path outputs = Files.createDirectory(folder.resolve("outputs"));
        hdfs("-get", "/data/stock", "/data/tcp", "/data/ucx", outputs.toString());
        for (int part = 0; part < REDUCERS; part++) {
            final String name = "part-r-0000" + part;
            final Path stock = outputs.resolve("stock").resolve(name);
            assertThat(stock).isNotEmptyFile();
            assertThat(outputs.resolve("tcp").resolve(name)).hasSameBinaryContentAs(stock);
            assertThat(outputs.resolve("ucx").resolve(name)).hasSameBinaryContentAs(stock);
        }
    }

    /** Of users for services, and of services for each other. */
    private static void assertTicketsWereUsed() throws IOException {
        final List<String> log = kdc.log();
        for (final String user : List.of(FIRST, SECOND, service("yarn"), service("mapred"))) {
            final String use = Kdc.principal(user) + " for " + Kdc.principal(ADMINISTRATOR);
            assertThat(log).as(use).anyMatch(line -> line.contains("ISSUE") && line.contains(use));
        }
    }
}
