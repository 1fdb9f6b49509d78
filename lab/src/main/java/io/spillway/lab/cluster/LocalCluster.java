// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.HistoryClient;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.Rest;
import io.spillway.cli.site.ServiceCpu;
import io.spillway.cli.site.Web;
import io.spillway.cli.site.WorkFolder;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.lab.process.PidFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * An unmodified Hadoop cluster on this machine: every daemon a JVM of its own, on loopback or on
 * hosts that are emulated, all files below one folder of the work folder.
 *
 * <p>Daemons outlive this process; another one finds them by {@link #attach}. {@link #stop} leaves
 * no process, whatever happened before. Not thread-safe, except as a {@link HadoopSite}.
 */
public final class LocalCluster implements HadoopSite, AutoCloseable {
    private final WorkFolder work;
    private final Path folder;
    private final ClusterState state;
    private final HadoopRuntime runtime;
    private final ClusterConf conf;
    private final ClusterFiles files;
    private final DaemonLauncher launcher;
    private final ClusterHosts hosts;
    private final Optional<DistributedFs> fileSystem;
    private final ClusterDaemons daemons;

    private LocalCluster(
            final WorkFolder work,
            final ClusterState state,
            final HadoopRuntime runtime,
            final List<String> prefix) {
        this.work = work;
        this.folder = work.cluster(state.spec().name());
        this.state = state;
        this.runtime = runtime;
        this.conf = new ClusterConf(state, folder, runtime.classPath());
        this.files = new ClusterFiles(state, folder, conf);
        final PidFiles pids = new PidFiles(folder.resolve("run"), state.id());
        this.hosts = new ClusterHosts(state, folder.resolve("hosts"), pids);
        this.launcher =
                new DaemonLauncher(
                        state,
                        folder,
                        runtime.classPath(),
                        files.masterConf(),
                        files::nodeConf,
                        pids,
                        host -> Stream.concat(hosts.on(host).stream(), prefix.stream()).toList());
        this.fileSystem =
                hosts.network()
                        .filter(network -> spec().sharedDirectory().isDistributed())
                        .map(network -> new DistributedFs(state, folder, launcher, network));
        this.daemons =
                new ClusterDaemons(state, conf, files, launcher, starter(StartListener.NONE));
    }

    /**
     * Starts a cluster and waits until it takes jobs.
     *
     * @param listener receives what is waited for
     * @param notes receives a line on rarer things, as jars that are fetched
     * @throws CommandException when a daemon does not start; nothing is left running then
     */
    public static LocalCluster start(
            final WorkFolder work,
            final ClusterSpec spec,
            final StartListener listener,
            final Consumer<String> notes) {
        final LocalCluster cluster = define(work, spec, List.of(), notes);
        cluster.start(listener);
        return cluster;
    }

    /**
     * Checks that a cluster can be started, without starting anything.
     *
     * @param prefix words before each daemon's command, as a command that takes another one, which
     *     it becomes; they are not written down: an {@link #attach attached} cluster has none
     * @param notes receives a line on rarer things, as jars that are fetched
     */
    public static LocalCluster define(
            final WorkFolder work,
            final ClusterSpec spec,
            final List<String> prefix,
            final Consumer<String> notes) {
        NewCluster.check(work, spec);
        final HadoopRuntime runtime = HadoopRuntime.resolve(work, spec.hadoopVersion(), notes);
        return new LocalCluster(work, NewCluster.state(spec), runtime, prefix);
    }

    /**
     * Starts what was defined and waits until it takes jobs. Another thread may stop it meanwhile.
     *
     * @throws CommandException when a daemon does not start; nothing is left running then
     */
    public void start(final StartListener listener) {
        cleanMemory(false);
        try {
            files.create(
                    launcher.temporary(),
                    Path.of(dataOnLocalFiles() ? dataFolder() : folder.toString()));
            hosts.create();
            starter(listener).start(fileSystem);
        } catch (final IOException e) {
            stopQuietly();
            throw new CommandException("cannot start cluster " + spec().name() + ": " + e, e);
        } catch (final CommandException e) {
            stopQuietly();
            throw e;
        }
    }

    /** The cluster of a name, if one was started and has not been stopped. */
    public static Optional<LocalCluster> attach(final WorkFolder work, final String name) {
        return ClusterState.read(work.cluster(name))
                .map(
                        state ->
                                new LocalCluster(
                                        work,
                                        state,
                                        HadoopRuntime.known(work, state.spec().hadoopVersion()),
                                        List.of()));
    }

    /** The names of all clusters that were started and have not been stopped. */
    public static List<String> names(final WorkFolder work) {
        if (!Files.isDirectory(work.clusters())) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(work.clusters())) {
            return folders.filter(folder -> ClusterState.read(folder).isPresent())
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + work.clusters() + ": " + e, e);
        }
    }

    /** Lets the cluster run on when this process ends; else the next one that starts ends it. */
    public void outliveCommand() {
        try {
            state.withoutOwner().write(folder);
        } catch (final IOException e) {
            throw new CommandException("cannot keep cluster " + spec().name() + ": " + e, e);
        }
    }

    private ClusterStarter starter(final StartListener listener) {
        return new ClusterStarter(
                launcher,
                state,
                conf::memoryNode,
                new ClusterWorld(state, conf, files),
                hosts.web(),
                listener);
    }

    /** The log of a NodeManager. */
    public Path nodeLog(final int node) {
        return logs().resolve(DaemonLauncher.nodeName(node) + ".log");
    }

    /** Where the daemons' logs are. */
    public Path logs() {
        return files.logs();
    }

    /** Where a NodeManager keeps map outputs and, below {@code containers}, the tasks' logs. */
    public Path nodeFolder(final int node) {
        return conf.nodeFolder(node);
    }

    /**
     * Where all nodes keep map output in memory, where this machine has such a place. That of
     * emulated hosts is not of this machine: it ends with their processes.
     */
    public Optional<Path> memoryFolder() {
        return spec().emulatesHosts() ? Optional.empty() : conf.memoryFolder();
    }

    /** The Unix socket of the node process, where NodeManagers start or look for one. */
    public Path nodeSocket() {
        return conf.nodeSocket();
    }

    /**
     * Deletes what clusters that were killed with everything that could clean up have left in
     * memory.
     *
     * @param dryRun whether only to look
     * @return the folders
     */
    public static List<Path> cleanMemory(final boolean dryRun) {
        return ClusterMemory.clean(dryRun);
    }

    /** What the cluster was asked to be. */
    public ClusterSpec spec() {
        return state.spec();
    }

    /** How big its nodes are. */
    public ClusterSize size() {
        return state.size();
    }

    /** How it is now. */
    public ClusterStatus status() {
        return ClusterStatus.of(state, launcher);
    }

    /** The ResourceManager's web pages. */
    public URI resourceManager() {
        return state.masterPages(state.ports().resourceWeb());
    }

    /** The port of localhost at which a NodeManager serves map output. */
    public int shufflePort(final int node) {
        return state.ports().nodes().get(node).shuffle();
    }

    /**
     * What goes before a command that is to run on a NodeManager's host; nothing where it is us.
     */
    public List<String> onHostOf(final int node) {
        return hosts.on(state.host(node));
    }

    /** Kills and starts daemons of the running cluster. */
    public ClusterDaemons daemons() {
        return daemons;
    }

    /** The directory that all hosts share, at the same path on each, where there is one. */
    public Optional<Path> sharedFolder() {
        return conf.sharedFolder();
    }

    /** The distributed file system of the hosts, where the cluster has one. */
    public Optional<DistributedFs> distributedFs() {
        return fileSystem;
    }

    /** Ends a running job as its user would, and waits until the ResourceManager has ended it. */
    public void killApplication(final String jobId) {
        launcher.killApplication(MapReduceLayout.applicationOf(jobId));
    }

    /**
     * The NodeManager that a running job's ApplicationMaster is on.
     *
     * @throws CommandException when the job does not run
     */
    public int nodeOfMaster(final String jobId) {
        final String application = MapReduceLayout.applicationOf(jobId);
        try {
            final String address =
                    new Rest(hosts.web())
                            .get(resourceManager().resolve("/ws/v1/cluster/apps/" + application))
                            .at("/app/amHostHttpAddress")
                            .asText();
            for (int node = 0; node < state.spec().nodes(); node++) {
                if (address.endsWith(":" + state.ports().nodes().get(node).web())) {
                    return node;
                }
            }
            throw new CommandException(application + " has no ApplicationMaster: " + address);
        } catch (final IOException e) {
            throw new CommandException("cannot find the ApplicationMaster of " + jobId, e);
        }
    }

    /** Runs a program on the cluster to its end. */
    public JobResult submit(final JobSpec spec) {
        return submit(spec, JobListener.NONE);
    }

    /** Runs a program on the cluster to its end. */
    public JobResult submit(final JobSpec spec, final JobListener listener) {
        return new JobClient(this).run(spec, listener);
    }

    /** The figures of finished jobs. */
    public HistoryClient history() {
        return HistoryClient.of(this).orElseThrow();
    }

    /**
     * Ends every process of the cluster and deletes its files.
     *
     * @param keepLogs leaves the daemons' and tasks' logs where they are
     */
    public void stop(final boolean keepLogs) {
        launcher.refuse();
        hosts.refuse();
        fileSystem.ifPresent(DistributedFs::abort);
        MarkedProcesses.killAll(state.id());
        try {
            if (memoryFolder().isPresent()) {
                WorkFolder.deleteTree(memoryFolder().get());
            }
            files.delete(keepLogs);
        } catch (final IOException e) {
            throw new CommandException("cannot delete " + folder + ": " + e, e);
        }
    }

    /** Leaves the logs: they tell why the start failed. */
    private void stopQuietly() {
        try {
            stop(true);
        } catch (final CommandException e) {
            System.getLogger(LocalCluster.class.getName())
                    .log(System.Logger.Level.WARNING, "stop after a failed start", e);
        }
    }

    /** Stops the cluster and deletes its files. */
    @Override
    public void close() {
        stop(false);
    }

    @Override
    public String hadoopVersion() {
        return runtime.version();
    }

    @Override
    public List<String> clientClassPath() {
        return runtime.classPath();
    }

    @Override
    public Path examplesJar() {
        return runtime.examplesJar();
    }

    @Override
    public void writeClientConf(final Path target, final Map<String, String> properties)
            throws IOException {
        files.writeConf(target, conf.yarn(), properties);
    }

    @Override
    public Map<String, String> clientEnvironment() {
        return Map.of(MarkedProcesses.VARIABLE, state.id());
    }

    @Override
    public Optional<String> property(final String name) {
        return Stream.of(conf.yarn(), conf.mapred(), conf.core())
                .flatMap(file -> Optional.ofNullable(file.get(name)).stream())
                .findFirst();
    }

    @Override
    public Map<String, String> plugInProperties() {
        final Map<String, String> plugIn = new TreeMap<>();
        plugIn.put(
                "mapreduce.application.classpath",
                String.join(",", runtime.classPath()) + "," + plugIn().engine());
        plugIn.putAll(conf.transports());
        return plugIn;
    }

    @Override
    public PlugIn plugIn() {
        return new PlugIn(Path.of(state.plugInJar()));
    }

    @Override
    public List<Path> taskLogs(final String jobId) {
        return files.taskLogs(MapReduceLayout.applicationOf(jobId));
    }

    @Override
    public String dataFolder() {
        return dataOnLocalFiles() ? folder.resolve("shared/data").toString() : "/data";
    }

    @Override
    public boolean dataOnLocalFiles() {
        return state.spec().fileSystem() == ClusterSpec.FileSystemKind.LOCAL;
    }

    @Override
    public Optional<Path> storage() {
        return Optional.of(folder);
    }

    @Override
    public Optional<URI> historyServer() {
        return Optional.of(state.masterPages(state.ports().historyWeb()));
    }

    @Override
    public Web web() {
        return hosts.web();
    }

    @Override
    public List<String> clientPrefix() {
        return hosts.on(state.masterHost());
    }

    @Override
    public Optional<String> emulation() {
        return hosts.emulation();
    }

    @Override
    public ServiceCpu serviceCpu() {
        return ServiceProcesses.cpu(state.id());
    }

    @Override
    public Map<String, Object> facts() {
        final ClusterSize size = size();
        final Map<String, Object> facts = new TreeMap<>();
        facts.put("nodes", spec().nodes());
        facts.put("slots", spec().nodes() * size.slotsPerNode());
        facts.put("heapMb", size.heapMb());
        facts.put("fileSystem", spec().fileSystem().name().toLowerCase(Locale.ROOT));
        facts.put("handler", spec().handler().label());
        facts.put("stockNodes", spec().stockNodes());
        facts.put("properties", spec().properties());
        if (spec().memory().any()) {
            facts.put("memoryNodes", spec().memory().count());
            facts.put("nodeMemoryBytes", spec().memory().bytes());
        }
        if (spec().hasWorld()) {
            facts.put("mpirun", spec().mpirun());
        }
        if (spec().sharedDirectory().any()) {
            facts.put("sharedFs", spec().sharedDirectory().label());
            facts.put("diskless", spec().sharedDirectory().diskless());
        }
        if (spec().emulatesHosts()) {
            facts.put("emulatedHosts", spec().nodes());
            facts.put("emulatedLink", spec().link());
        }
        return facts;
    }

    @Override
    public Path jobsFolder() {
        return folder.resolve("logs/jobs");
    }

    /** The work folder the cluster lives in. */
    public WorkFolder work() {
        return work;
    }
}
