// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.doctor.host.HadoopClient;
import io.spillway.cli.doctor.host.HadoopHome;
import io.spillway.cli.doctor.host.HostDoctor;
import io.spillway.cli.doctor.host.HostFiles;
import io.spillway.cli.doctor.host.ResourceManagerAddress;
import io.spillway.cli.doctor.yarn.YarnDoctor;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.Rest;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Turns Spillway on in the configuration of an existing cluster. */
@Command(
        name = "install",
        mixinStandardHelpOptions = true,
        description =
                "Shows as a diff what turns Spillway on in a cluster's configuration. On request it"
                        + " applies the changes, undoes them, restarts the NodeManagers one by"
                        + " one, and verifies the result by a small job.",
        footer = {
            "",
            "Without an option it changes nothing. It does not copy the jar: INSTALL.md says where"
                    + " the jar belongs on every host.",
            "",
            "Exit codes: 0 done, or nothing to do; 1 a conflict, an error of the doctor's, or a"
                    + " failure; 2 wrong input.",
            "",
            "Examples:",
            "  spillway install                        the changes, as a diff",
            "  spillway install --overlay ~/conf       a copy of the folder with the changes",
            "  spillway install --apply",
            "  spillway install --upgrade \\",
            "      --restart 'ssh {host} systemctl restart hadoop-yarn-nodemanager'",
            "  spillway install --verify",
            "  spillway install --undo"
        })
public final class InstallCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;

    @ArgGroup(exclusive = true)
    private Action action = new Action();

    @Option(
            names = "--conf",
            paramLabel = "DIR",
            description =
                    "Folder of the configuration (default: HADOOP_CONF_DIR or YARN_CONF_DIR, else"
                            + " that of the Hadoop on this host).")
    private Path conf;

    @Option(
            names = "--force",
            description = "Writes although the doctor finds errors in the new configuration.")
    private boolean force;

    @Option(
            names = "--restart",
            paramLabel = "COMMAND",
            description =
                    "With --upgrade: the shell command that restarts the NodeManager of {host}.")
    private String restart;

    @Option(
            names = "--pause",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "With --upgrade: pause between two NodeManagers (default: ${DEFAULT-VALUE}).")
    private int pauseSeconds;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description =
                    "With --upgrade: how long a NodeManager may take to serve again (default:"
                            + " ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Option(
            names = "--dry-run",
            description = "With --upgrade: prints the plan and restarts nothing.")
    private boolean dryRun;

    /** What to do; without one of these, the diff is shown. */
    static final class Action {
        @Option(
                names = "--overlay",
                paramLabel = "DIR",
                description = "Writes a copy of the folder, with the changes.")
        private Path overlay;

        @Option(
                names = "--apply",
                description = "Changes the files and keeps the originals beside them.")
        private boolean apply;

        @Option(
                names = "--undo",
                description = "Restores the originals; refuses if a file was changed since.")
        private boolean undo;

        @Option(
                names = "--verify",
                description =
                        "Runs a small job as configured and with Hadoop's own shuffle, and compares"
                                + " the outputs.")
        private boolean verify;

        @Option(
                names = "--upgrade",
                description =
                        "Restarts the NodeManagers one by one, and waits for each until it serves."
                                + " After a failure, a second call continues at that NodeManager.")
        private boolean upgrade;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (action.upgrade != (restart != null)) {
            throw new BadInputException(
                    "--upgrade needs --restart COMMAND, and --restart is for --upgrade only: give"
                            + " both or none");
        }
        final Map<String, String> environment = System.getenv();
        final Path folder =
                conf == null
                        ? ConfFolder.find(HostFiles.ofThisHost(), environment)
                        : ConfFolder.require(conf.toAbsolutePath().normalize());
        if (action.undo) {
            return undo(folder);
        }
        if (action.verify) {
            return verify(folder);
        }
        return action.upgrade ? upgrade(folder) : configure(InstallPlan.of(folder));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void say(final String line) {
        out().println(line);
        out().flush();
    }

    // ---- the configuration ---------------------------------------------------------------------

    private int configure(final InstallPlan plan) throws IOException {
        plan.changes().forEach(change -> out().print(change.diff()));
        out().flush();
        plan.notes().forEach(note -> say("note: " + note));
        plan.conflicts().forEach(conflict -> say("conflict: " + conflict));
        final List<Finding> findings = examine(plan);
        findings.forEach(finding -> say(text(finding)));
        if (!plan.conflicts().isEmpty()) {
            say("nothing was written: resolve the conflicts first");
            return FAILED;
        }
        final boolean hasErrors =
                findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
        if (plan.changes().isEmpty() && action.overlay == null) {
            say("nothing to change: " + plan.folder() + " turns Spillway on");
            return hasErrors ? FAILED : 0;
        }
        if (hasErrors && !force) {
            say("nothing was written: mend the errors first, or give --force");
            return FAILED;
        }
        write(plan);
        return 0;
    }

    private static String text(final Finding finding) {
        return finding.severity().toString().toLowerCase(Locale.ROOT)
                + ": "
                + String.join("; ", finding.what(), finding.why(), finding.mend());
    }

    private void write(final InstallPlan plan) throws IOException {
        if (action.overlay != null) {
            Overlay.write(plan, action.overlay);
            say("written: " + action.overlay + "; set HADOOP_CONF_DIR to it");
        } else if (action.apply) {
            final List<Path> backups =
                    new AppliedInstall(plan.folder()).apply(plan.changes(), Instant.now());
            say("written; the originals: " + backups);
            say("next: the same on every host, then --upgrade --restart COMMAND, then --verify");
        } else {
            say("nothing was written: --apply changes the files, --overlay DIR writes a copy");
        }
    }

    /** The doctor's findings in the configuration with the changes. */
    private List<Finding> examine(final InstallPlan plan) throws IOException {
        final Path copy = Files.createTempDirectory("spillway-install");
        try {
            Overlay.write(plan, copy);
            final HadoopClient client = client(copy);
            final List<Finding> findings = new ArrayList<>(HostDoctor.ofConfiguration(client));
            if (plan.conflicts().isEmpty()) {
                findings.addAll(overridden(plan, client.facts().properties()));
            }
            return findings;
        } catch (final CommandException | IOException e) {
            return List.of(
                    Finding.note(
                            "the new configuration was not checked with Hadoop's own classes: " + e,
                            "final properties of other files, or a missing jar, may defeat it",
                            "run this where a client of Hadoop runs, as a user who may read all"
                                    + " files of "
                                    + plan.folder()));
        } finally {
            WorkFolder.deleteTree(copy);
        }
    }

    /** The properties that are not what the new files say. */
    private static List<Finding> overridden(
            final InstallPlan plan, final Map<String, String> properties) {
        return WantedProperty.all().stream()
                .filter(wanted -> !wanted.isIn(properties))
                .map(
                        wanted ->
                                Finding.error(
                                        wanted.name()
                                                + "="
                                                + properties.getOrDefault(wanted.name(), "")
                                                + ", in spite of "
                                                + wanted.file(),
                                        "another file defines it as final: the change has no"
                                                + " effect",
                                        "remove <final> where grep -l "
                                                + wanted.name()
                                                + " "
                                                + plan.folder()
                                                + "/*.xml finds it"))
                .toList();
    }

    /** A client with the configuration of a folder. */
    private HadoopClient client(final Path folder) {
        final Map<String, String> environment = new HashMap<>(System.getenv());
        HadoopHome.all(HostFiles.ofThisHost(), environment).stream()
                .findFirst()
                .ifPresent(home -> environment.putIfAbsent("HADOOP_HOME", home.home().toString()));
        environment.put("HADOOP_CONF_DIR", folder.toString());
        return new HostDoctor(
                        work.folder(),
                        PlugIn.ofThisBuild(),
                        "this host",
                        HostFiles.ofThisHost(),
                        environment)
                .client();
    }

    private int undo(final Path folder) throws IOException {
        say("restored: " + new AppliedInstall(folder).undo());
        say("next: restart the NodeManagers");
        return 0;
    }

    // ---- the cluster ---------------------------------------------------------------------------

    private int verify(final Path folder) {
        final HadoopClient client = client(folder);
        final TrialJobs.Outcome outcome = new TrialJobs(client.hadoop(), Screen.of(spec)).run();
        outcome.lines().forEach(this::say);
        return outcome.isGood() ? 0 : FAILED;
    }

    private int upgrade(final Path folder) throws IOException, InterruptedException {
        final HadoopClient client = client(folder);
        final Map<String, String> properties = client.facts().properties();
        final YarnDoctor cluster =
                new YarnDoctor(
                        Rest.DIRECT,
                        ResourceManagerAddress.of(properties)
                                .orElseThrow(
                                        () ->
                                                new BadInputException(
                                                        "yarn.resourcemanager.webapp.address is not"
                                                                + " set in "
                                                                + folder
                                                                + ": --upgrade asks it for the"
                                                                + " NodeManagers; set it")),
                        properties,
                        client.versions());
        final Path file = work.folder().root().resolve("install/restarted.json");
        final RestartedNodes done = RestartedNodes.in(file);
        final RollingRestart rolling =
                new RollingRestart(
                        cluster,
                        restart,
                        Duration.ofSeconds(pauseSeconds),
                        Duration.ofSeconds(timeoutSeconds),
                        done);
        if (dryRun) {
            rolling.plan().forEach(this::say);
            return 0;
        }
        rolling.notRunning().forEach(this::say);
        if (done.count() > 0) {
            say(
                    done.count()
                            + " NodeManagers were restarted by an earlier call (delete "
                            + file
                            + " to restart them again)");
        }
        say(rolling.run(Screen.of(spec)) + " NodeManagers restarted, each of them serves");
        return 0;
    }
}
