// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor;

import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.ReportText;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.doctor.host.HadoopClient;
import io.spillway.cli.doctor.host.HostDoctor;
import io.spillway.cli.doctor.host.HostFiles;
import io.spillway.cli.doctor.host.ResourceManagerAddress;
import io.spillway.cli.doctor.remote.HostList;
import io.spillway.cli.doctor.remote.RemoteDoctor;
import io.spillway.cli.doctor.yarn.YarnDoctor;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.Rest;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what of an installation is not as it should be. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Looks at this host, at others or at a cluster, and says what is not as it should"
                        + " be: what, why it matters, and the command or setting that mends it."
                        + " Leaves no change behind: it writes small test files into"
                        + " spillway.store.lustre.dir and deletes them.",
        footer = {
            "",
            "Exit codes: 0 healthy, or warnings without --strict; 1 warnings with --strict;"
                    + " 2 errors.",
            "",
            "Examples:",
            "  spillway doctor",
            "  spillway doctor --yarn               what the NodeManagers have loaded",
            "  spillway doctor --hosts n1,n2,n3     over ssh, the same path on each",
            "  spillway doctor --slurm              all hosts of an allocation",
            "  spillway doctor --strict --json      for scripts"
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int WARNINGS = 1;
    private static final int ERRORS = 2;

    /** Variables that name what is to be looked at. */
    private static final List<String> PASSED =
            List.of("HADOOP_HOME", "HADOOP_CONF_DIR", "JAVA_HOME", "SPILLWAY_HOME");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;

    @Option(names = "--json", description = "Prints one line of JSON.")
    private boolean json;

    @Option(names = "--strict", description = "Warnings count for the exit code.")
    private boolean strict;

    @ArgGroup(exclusive = true)
    private Target target = new Target();

    @Option(
            names = "--by",
            paramLabel = "COMMAND",
            description =
                    "How a command is run on another host: COMMAND HOST spillway doctor --json,"
                            + " and cp, cksum and rm in the shared directory (default: srun in an"
                            + " allocation of Slurm, else ssh).")
    private String by;

    /** What is looked at, where it is not this host alone. */
    static final class Target {
        @Option(
                names = "--hosts",
                paramLabel = "FILE|LIST",
                description =
                        "These hosts, each by itself and compared: names with commas between, or a"
                                + " file with one a line.")
        private String hosts;

        @Option(names = "--slurm", description = "All hosts of this Slurm allocation.")
        private boolean slurm;

        @Option(
                names = "--yarn",
                description =
                        "All NodeManagers of the cluster that HADOOP_CONF_DIR names, over HTTP and"
                                + " by their shuffle ports.")
        private boolean yarn;
    }

    @Override
    public Integer call() {
        final DoctorReport report = report(System.getenv());
        final PrintWriter out = spec.commandLine().getOut();
        out.print(json ? report.json() + "\n" : ReportText.of(report));
        out.flush();
        return code(report);
    }

    private DoctorReport report(final Map<String, String> environment) {
        if (target.hosts != null) {
            return remote(environment).examine(HostList.parse(target.hosts));
        }
        if (target.slurm) {
            return remote(environment).examine(HostList.ofSlurm(environment));
        }
        final HostDoctor doctor =
                new HostDoctor(
                        work.folder(),
                        PlugIn.ofThisBuild(),
                        hostName(),
                        HostFiles.ofThisHost(),
                        environment);
        return target.yarn
                ? yarn(doctor.client()).examine()
                : new DoctorReport(List.of(doctor.examine()), List.of());
    }

    private static YarnDoctor yarn(final HadoopClient client) {
        final Map<String, String> properties = client.facts().properties();
        final URI manager =
                ResourceManagerAddress.of(properties)
                        .orElseThrow(
                                () ->
                                        new BadInputException(
                                                "--yarn: no yarn.resourcemanager.webapp.address in"
                                                        + " yarn-site.xml"));
        return new YarnDoctor(Rest.DIRECT, manager, properties, client.versions());
    }

    private RemoteDoctor remote(final Map<String, String> environment) {
        final List<String> command = new ArrayList<>(List.of("env"));
        for (final String name : PASSED) {
            Optional.ofNullable(environment.get(name))
                    .ifPresent(value -> command.add(name + "=" + value));
        }
        command.add(WorkOptions.repository().resolve("spillway").toString());
        command.addAll(List.of("doctor", "--json"));
        return new RemoteDoctor(
                by == null ? RemoteDoctor.usual(environment) : List.of(by.split("\\s+", -1)),
                command);
    }

    private int code(final DoctorReport report) {
        if (report.count(Severity.ERROR) > 0) {
            return ERRORS;
        }
        return strict && report.count(Severity.WARNING) > 0 ? WARNINGS : 0;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (final UnknownHostException e) {
            return "this host";
        }
    }
}
