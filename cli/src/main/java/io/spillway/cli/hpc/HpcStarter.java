// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.ShellWord;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.HadoopCommand;
import io.spillway.cli.site.JavaCommand;
import io.spillway.cli.site.LogTail;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Brings a Hadoop up in an allocation. Used by one thread, but for {@link #refuse}. */
final class HpcStarter {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_MILLIS = 300;
    private static final int SECRET_BYTES = 32;
    private static final List<Path> SETSID =
            List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private final Allocation allocation;
    private final SessionFolder session;
    private final HpcOptions options;
    private final Screen screen;
    private final List<Process> launchers = new ArrayList<>();
    private boolean refused;

    HpcStarter(
            final Allocation allocation,
            final SessionFolder session,
            final HpcOptions options,
            final Screen screen) {
        this.allocation = allocation;
        this.session = session;
        this.options = options;
        this.screen = screen;
    }

    /**
     * Starts all daemons and waits until they are of use; a worker that does not come is left out.
     *
     * @param hadoop that is run
     */
    void start(final Path hadoop) {
        requireSlurmForMpi();
        final HpcPlan plan =
                HpcPlan.of(
                        allocation.id(),
                        askHosts(),
                        options.memoryNodes(),
                        options.mpi().isPresent());
        try {
            prepare(plan, hadoop);
            launch();
        } catch (final IOException e) {
            throw new CommandException("cannot start Hadoop in " + session.path() + ": " + e, e);
        }
        await(plan);
    }

    private void requireSlurmForMpi() {
        if (options.mpi().isPresent() && !(allocation instanceof SlurmAllocation)) {
            throw new BadInputException(
                    "--mpi "
                            + options.mpi().get()
                            + ": expected a job of Slurm, whose srun starts the ranks; elsewhere"
                            + " leave it out, and start them as docs/mpi.md says");
        }
    }

    /** Starts nothing from now on: another thread stops all. */
    synchronized void refuse() {
        refused = true;
    }

    /** What each host has, in the order of the allocation. */
    private List<HostFacts> askHosts() {
        final Map<String, HostFacts> facts =
                allocation
                        .onEach(List.of(session.agent(), "facts", options.network()))
                        .parallelStream()
                        .flatMap(command -> Programs.lines(command).stream())
                        .flatMap(line -> HostFacts.parse(line).stream())
                        .collect(Collectors.toMap(HostFacts::name, host -> host));
        return allocation.hosts().stream()
                .map(host -> Optional.ofNullable(facts.get(host)).orElseThrow(() -> silent(host)))
                .toList();
    }

    private static CommandException silent(final String host) {
        return new CommandException(host + " has not answered: expected a line of its facts");
    }

    private void prepare(final HpcPlan plan, final Path hadoop) throws IOException {
        final PlugIn plugIn = PlugIn.ofThisBuild();
        for (final Path folder :
                List.of(session.run(), session.logs(), session.state(), session.history())) {
            Files.createDirectories(folder);
        }
        final List<String> classPath =
                new ArrayList<>(
                        new HadoopCommand(Optional.of(hadoop))
                                .classPath(Map.of("HADOOP_CONF_DIR", session.conf().toString())));
        classPath.remove(session.conf().toString());
        classPath.add(plugIn.engine().toString());
        final HpcConf conf = new HpcConf(plan, session, classPath, options.definitions());
        conf.write();
        if (!plan.memoryNodes().isEmpty()) {
            writeSecret();
        }
        Files.writeString(
                session.root().resolve("hosts"),
                plan.hosts().stream()
                        .map(host -> line(plan, host))
                        .collect(Collectors.joining("\n", "", "\n")));
        Files.writeString(
                session.root().resolve("session.env"), variables(plan, conf, hadoop, plugIn));
    }

    private static String line(final HpcPlan plan, final HostFacts host) {
        final long memory =
                plan.memoryNodes().contains(host)
                        ? HostShare.outputsMb(host)
                        : HostShare.containersMb(host);
        return String.join(
                " ",
                host.name(),
                host.address(),
                String.valueOf(memory),
                String.valueOf(host.cores()),
                plan.roles(host).stream().map(HostRole::label).collect(Collectors.joining(",")));
    }

    private String variables(
            final HpcPlan plan, final HpcConf conf, final Path hadoop, final PlugIn plugIn) {
        final Map<String, String> variables = new TreeMap<>();
        variables.put("JAVA_HOME", JavaCommand.home().toString());
        variables.put("HADOOP_HOME", hadoop.toString());
        variables.put("SPILLWAY_JAR", plugIn.engine().toString());
        variables.put("SPILLWAY_HPC_ID", plan.id());
        variables.put("SPILLWAY_HPC_DIRS", options.localDirs());
        options.mpi().ifPresent(type -> variables.put("SPILLWAY_HPC_MPI", type));
        if (!plan.memoryNodes().isEmpty()) {
            variables.put("SPILLWAY_HPC_PLACEMENT", conf.placementService());
        }
        return variables.entrySet().stream()
                .map(each -> each.getKey() + "=" + ShellWord.quoted(each.getValue()) + "\n")
                .collect(Collectors.joining());
    }

    private void writeSecret() throws IOException {
        final byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Files.createFile(
                session.secret(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(session.secret(), HexFormat.of().formatHex(secret));
    }

    /** In sessions of their own: Ctrl-C at this command is not theirs. */
    private synchronized void launch() throws IOException {
        if (refused) {
            throw new CommandException("the allocation's Hadoop is being stopped");
        }
        final Path log = session.logs().resolve("hosts.log");
        for (final List<String> command :
                allocation.onEach(List.of(session.agent(), "serve", session.path()))) {
            final List<String> words = new ArrayList<>();
            SETSID.stream()
                    .filter(Files::isExecutable)
                    .findFirst()
                    .ifPresent(setsid -> words.add(setsid.toString()));
            words.addAll(command);
            launchers.add(
                    new ProcessBuilder(words)
                            .redirectErrorStream(true)
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start());
        }
    }

    private void await(final HpcPlan plan) {
        final int workers = plan.workers().size();
        final int ranks = plan.isMpi() ? workers + plan.memoryNodes().size() : 0;
        final int wanted = workers + ranks + 2;
        final HpcWeb web = new HpcWeb(session);
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (Monitor.Task task = screen.begin("Starting Hadoop", wanted)) {
            while (true) {
                final int nodes = web.activeNodes();
                final int masters = (nodes >= 0 ? 1 : 0) + (web.historyAnswers() ? 1 : 0);
                final int serving = session.ranks();
                task.at(
                        Math.max(nodes, 0) + serving + masters,
                        Math.max(nodes, 0) + " of " + workers + " NodeManagers");
                if (masters == 2 && nodes >= workers && serving >= ranks) {
                    task.done(nodes + " NodeManagers");
                    return;
                }
                requireAlive();
                if (System.nanoTime() > deadline) {
                    if (masters == 2 && nodes > 0) {
                        screen.note(
                                (workers - nodes)
                                        + " NodeManagers"
                                        + (plan.isMpi()
                                                ? " and " + (ranks - serving) + " MPI ranks"
                                                : "")
                                        + " have not come; see "
                                        + session.logs());
                        return;
                    }
                    throw new CommandException(
                            "Hadoop is not ready after "
                                    + PATIENCE.toSeconds()
                                    + " s; logs: "
                                    + session.logs());
                }
                pause();
            }
        }
    }

    private void requireAlive() {
        final List<Path> failed = session.failedLogs();
        if (!failed.isEmpty()) {
            final Path log = failed.get(0);
            throw new CommandException(
                    "a daemon has ended:\n  "
                            + String.join("\n  ", LogTail.reason(log))
                            + "\n  log: "
                            + log);
        }
        if (launchers.stream().noneMatch(Process::isAlive)) {
            final Path log = session.logs().resolve("hosts.log");
            throw new CommandException(
                    "the hosts' processes have ended:\n  "
                            + String.join("\n  ", LogTail.reason(log))
                            + "\n  log: "
                            + log);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while Hadoop starts", e);
        }
    }
}
