// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.conf.UnknownSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A job with Spillway that runs while a test does harm to its cluster. */
final class RunningJob implements JobListener, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long PAUSE_MILLIS = 100;
    private static final int MASTER_AND_HELD_MAP = 2;
    private static final System.Logger LOG = System.getLogger(RunningJob.class.getName());

    private final FailureSite site;
    private final Path output;
    private final Path gate;
    private final int reducers;
    private final CompletableFuture<JobResult> end;
    private volatile String jobId;
    private volatile int mapPercent;
    private volatile int reducePercent;

    private RunningJob(
            final FailureSite site, final Map<String, String> properties, final String gate) {
        this.site = site;
        this.output = site.newPath("out");
        this.gate = site.newPath("gate");
        this.reducers = FailureSite.reducers(properties);
        final Map<String, String> all = new TreeMap<>(properties);
        all.put(gate, this.gate.toString());
        // Tasks warn of them, as of settings that users misspell.
        assertThat(UnknownSettings.problems(all.keySet())).isEmpty();
        this.end =
                CompletableFuture.supplyAsync(
                        () -> site.cluster().submit(site.spillway(output).with(all), this));
    }

    /** Starts a job whose last map waits until {@link #openGate}. */
    static RunningJob withLastMapHeld(
            final FailureSite site, final Map<String, String> properties) {
        return new RunningJob(site, properties, GatedSort.MAP_GATE);
    }

    /** Starts a job whose reducers wait at their first record until {@link #openGate}. */
    static RunningJob withReducersHeld(
            final FailureSite site, final Map<String, String> properties) {
        return new RunningJob(site, properties, GatedSort.REDUCE_GATE);
    }

    /** Starts a job with a map and a reducer whose first attempts do not end. */
    static RunningJob withSlowAttempts(
            final FailureSite site, final Map<String, String> properties) {
        return new RunningJob(site, properties, GatedSort.SLOW_GATE);
    }

    @Override
    public void onJob(final String id) {
        jobId = id;
    }

    @Override
    public void onProgress(final int map, final int reduce) {
        mapPercent = map;
        reducePercent = reduce;
    }

    /** How far its maps have come. */
    int mapPercent() {
        return mapPercent;
    }

    String id() {
        return jobId;
    }

    void openGate() {
        try {
            Files.write(gate, new byte[0]);
        } catch (final IOException e) {
            throw new AssertionError("cannot open the gate of " + jobId, e);
        }
    }

    /** Lets the job of a test that has failed come to its end, so that the next one has room. */
    @Override
    public void close() {
        openGate();
        try {
            end.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.WARNING, "job " + jobId + " did not end well", e);
        }
    }

    /** Waits for all maps but the held one to have left their output, and to have ended. */
    List<MapOutput> awaitMapOutputs() {
        await(
                "outputs of " + FailureSite.DATA_MAPS + " maps",
                () -> jobId != null && mapOutputs().size() >= FailureSite.DATA_MAPS);
        await("the end of these maps", () -> mapPercent >= FailureSite.DATA_MAPS_PERCENT);
        return mapOutputs();
    }

    /** The same, of nodes with Spillway's handler. */
    List<MapOutput> awaitOutputsServedBySpillway() {
        return awaitMapOutputs().stream()
                .filter(mapOutput -> mapOutput.node() != FailureSite.STOCK_NODE)
                .toList();
    }

    /** Waits until some map output has been copied, as the reducers' progress tells. */
    void awaitCopying() {
        await("a reducer that copies", () -> reducePercent > 0);
    }

    /** Waits until so many reducers have been given their first record. */
    void awaitReducing(final int reducers) {
        await(reducers + " reducers at their first record", () -> reachedGates() >= reducers);
    }

    private long reachedGates() {
        final String prefix = gate.getFileName() + GatedSort.REACHED;
        try (Stream<Path> files = Files.list(gate.getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix)).count();
        } catch (final IOException e) {
            throw new AssertionError("cannot list " + gate.getParent(), e);
        }
    }

    /** The outputs of all maps, of which some may have been made more than once. */
    List<MapOutput> mapOutputs() {
        final List<MapOutput> all = new ArrayList<>();
        for (int node = 0; node < FailureSite.NODES; node++) {
            all.addAll(MapOutput.find(site.cluster().nodeFolder(node), node, jobId));
        }
        return all;
    }

    /** Waits for a condition while the job runs. */
    void await(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (end.isDone()) {
                throw new AssertionError("the job ended before: " + what + describeEnd());
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pause();
        }
    }

    /** Waits for a condition that holds soon after a job has ended. */
    static void awaitAfterwards(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private String describeEnd() {
        return "\n" + new FailureReport(site.cluster()).describe("the job", end.join());
    }

    /** Waits for the job to end well, with the same output as stock. */
    JobResult awaitSameOutputAsStock() throws InterruptedException {
        final JobResult result = awaitSuccess();
        site.assertEqualsStock(output, reducers);
        return result;
    }

    /** Waits for the job to end well, whatever its output. */
    JobResult awaitSuccess() throws InterruptedException {
        final JobResult result = awaitEnd();
        FailureSite.assertSucceeded(site.cluster(), result);
        return result;
    }

    /** The folder of its output. */
    Path output() {
        return output;
    }

    private JobResult awaitEnd() throws InterruptedException {
        try {
            return end.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            throw new AssertionError("the job has not ended within " + PATIENCE, e);
        } catch (final ExecutionException e) {
            throw new AssertionError("the job could not be run", e.getCause());
        }
    }

    /** Kills the job by its ResourceManager, as a user does, and waits for its client to end. */
    void kill() throws InterruptedException {
        site.cluster().killApplication(jobId);
        assertThat(awaitEnd().succeeded()).as(jobId + " succeeded").isFalse();
    }

    /** Kills the job's ApplicationMaster, and nothing else on its node. */
    void killMaster() {
        final List<ProcessHandle> masters =
                processes("v2.app.MRAppMaster", jobId.replaceFirst("^job_", "application_"));
        assertThat(masters).as("ApplicationMasters of %s", jobId).hasSize(1);
        masters.forEach(ProcessHandle::destroyForcibly);
    }

    /** Kills the attempts of the job's maps that are running. */
    void killMaps() {
        final List<ProcessHandle> maps =
                processes("YarnChild", jobId.replaceFirst("^job_", "attempt_") + "_m_");
        assertThat(maps).as("running maps of %s", jobId).isNotEmpty();
        maps.forEach(ProcessHandle::destroyForcibly);
    }

    /** The JVM of a task attempt; nothing when it has ended. */
    static Optional<ProcessHandle> jvmOf(final String attempt) {
        return processes("YarnChild", attempt).stream().findFirst();
    }

    /** Waits until a job that has ended has no JVMs and no files in the nodes' memory any more. */
    static void awaitNothingLeft(final FailureSite site, final String jobId) {
        final String attempts = jobId.replaceFirst("^job_", "attempt_");
        awaitAfterwards(
                "the end of all tasks of " + jobId,
                () -> processes("YarnChild", attempts).isEmpty());
        awaitAfterwards(
                "the nodes to take back the memory of " + jobId, () -> !site.hasInMemory(jobId));
    }

    /** Whether an attempt of a reducer runs. */
    boolean hasReducers() {
        return !processes("YarnChild", jobId.replaceFirst("^job_", "attempt_") + "_r_").isEmpty();
    }

    /** The JVMs, not the shells that have started them. */
    private static List<ProcessHandle> processes(final String mainClass, final String id) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().command().orElse("").endsWith("/java"))
                .filter(
                        process -> {
                            final String line = commandLine(process);
                            return line.contains(mainClass) && line.contains(id);
                        })
                .toList();
    }

    /** All of it: what a process handle gives ends within a task's class path. */
    private static String commandLine(final ProcessHandle process) {
        final Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            return ""; // it has ended
        }
    }

    /** A node with some output, on which no container of the job runs any more. */
    Optional<Integer> idleNode(final List<MapOutput> outputs) {
        final Set<Integer> busy = new HashSet<>();
        final Set<Integer> candidates =
                outputs.stream().map(MapOutput::node).collect(Collectors.toSet());
        // JVMs of maps that have ended take a moment to do so, too.
        await(
                "the end of the other maps",
                () -> {
                    busy.clear();
                    busy.addAll(nodesOfContainers());
                    return busy.size() <= MASTER_AND_HELD_MAP;
                });
        candidates.removeAll(busy);
        return candidates.stream().findFirst();
    }

    /** Finds the nodes of containers by the working folders of their processes. */
    private Set<Integer> nodesOfContainers() {
        final String application = jobId.replaceFirst("^job_", "application_");
        final Set<Integer> nodes = new HashSet<>();
        ProcessHandle.allProcesses()
                .flatMap(process -> workingFolder(process).stream())
                .filter(folder -> folder.toString().contains(application))
                .forEach(
                        folder -> {
                            for (int node = 0; node < FailureSite.NODES; node++) {
                                if (folder.startsWith(site.cluster().nodeFolder(node))) {
                                    nodes.add(node);
                                }
                            }
                        });
        return nodes;
    }

    private static Optional<Path> workingFolder(final ProcessHandle process) {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc", process.pid() + "", "cwd")));
        } catch (final IOException e) {
            return Optional.empty(); // it has ended
        }
    }

    /** A node with Spillway's handler and some output, but without the job's ApplicationMaster. */
    int nodeToHarm(final List<MapOutput> outputs) {
        final int master = site.cluster().nodeOfMaster(jobId);
        final List<Integer> nodes =
                outputs.stream()
                        .map(MapOutput::node)
                        .filter(node -> node != FailureSite.STOCK_NODE && node != master)
                        .toList();
        assertThat(nodes).as("nodes with map output of %s", jobId).isNotEmpty();
        return nodes.get(0);
    }
}
