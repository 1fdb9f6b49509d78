// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.cds.ArchiveRecipe;
import io.spillway.cli.cds.ClassRecorder;
import io.spillway.cli.cds.JvmOptions;
import io.spillway.cli.cds.TaskArchive;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.PropertyText;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.place.JobPlace;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.WorkFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes archives of class data for the JVMs of tasks. */
@Command(
        name = "cds",
        mixinStandardHelpOptions = true,
        description = {
            "Makes an archive of class data (CDS) for the JVMs of MapReduce jobs, and prints the"
                + " properties that have jobs use it: they map the classes of Hadoop and Spillway"
                + " from one file in place of reading, verifying and linking them one by one.",
            "",
            "Small jobs run first (teragen, then wordcount with stock Hadoop and with Spillway),"
                + " whose JVMs write down what they load. Then one JVM loads that with the tasks'"
                + " Java and jars, and makes the archive. Nothing else is changed.",
            "",
            "An archive is of one build of the JDK and of one list of jars, each of one size and"
                + " time. A JVM that has others runs without it, silently. Make it again after an"
                + " upgrade."
        },
        footer = {
            "",
            "All hosts need the archive, the jars and the JDK by the same paths. Where they share"
                    + " no folder, make it on each from the list that lies beside the first one"
                    + " (--classes).",
            "Exit code of --check: 0 where the archive fits, 1 where it does not.",
            "",
            "Examples:",
            "  spillway cds",
            "  HADOOP_CONF_DIR=/etc/hadoop/conf spillway cds --dir /lustre/hadoop/cds",
            "  spillway cds --stock                  for jobs without Spillway",
            "  spillway cds --classes tasks.txt --dir /var/lib/hadoop/cds",
            "  spillway cds --check /lustre/hadoop/cds/tasks-17.0.15+6-1a2b3c4d.jsa"
        })
final class CdsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions jobOptions;
    @Mixin private JobPlace place;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Where the archive is kept: a folder that all hosts see by this path (default:"
                            + " cds in the work folder).")
    private Path folder;

    @Option(
            names = "--stock",
            description = "For stock jobs only: without Spillway's jar and classes.")
    private boolean stockOnly;

    @Option(
            names = "--classes",
            paramLabel = "FILE",
            description =
                    "Takes Java, jars and classes from a list that an earlier run has left beside"
                            + " its archive, and runs no job.")
    private Path list;

    @Option(
            names = "--check",
            paramLabel = "FILE",
            description = "Only tells whether an archive fits this host's Java and jars.")
    private Path archiveToCheck;

    @Override
    public Integer call() {
        requireOneTask();
        final PrintWriter out = spec.commandLine().getOut();
        if (archiveToCheck != null) {
            return check(TaskArchive.open(archiveToCheck), out);
        }
        final WorkFolder home = work.folder();
        final Path target = folder == null ? home.classData() : folder.toAbsolutePath().normalize();
        TaskArchive.requirePlain(target);
        if (list == null) {
            makeAtSite(home, target, out);
        } else {
            final Optional<InstalledHadoop> installed = place.installed(home);
            print(
                    TaskArchive.make(ArchiveRecipe.read(list), target),
                    property -> installed.flatMap(hadoop -> hadoop.property(property)),
                    out);
        }
        return 0;
    }

    private void requireOneTask() {
        if (Stream.of(archiveToCheck != null, list != null, stockOnly).filter(is -> is).count()
                > 1) {
            throw new BadInputException(
                    "--check, --classes and --stock: expected at most one of them");
        }
    }

    private int check(final TaskArchive archive, final PrintWriter out) {
        final Optional<String> problem = archive.problem();
        out.println(
                archive.file()
                        + problem.map(why -> " does not fit: " + why)
                                .orElse(" fits " + describe(archive.recipe())));
        out.flush();
        return problem.isPresent() ? 1 : 0;
    }

    private static String describe(final ArchiveRecipe recipe) {
        return String.format(
                Locale.ROOT,
                "%d jars and the Java in %s (%d classes were recorded)",
                recipe.jars().size(),
                recipe.javaHome(),
                recipe.classes().size());
    }

    private void makeAtSite(final WorkFolder home, final Path target, final PrintWriter out) {
        final Screen screen = Screen.of(spec);
        final Map<String, String> properties = jobOptions.properties();
        try (OpenPlace open = place.open(home, screen, "cds", Optional.empty())) {
            final HadoopSite site = open.site();
            place.confirm(site, "Small jobs go to the installed Hadoop");
            final MeasuredJobs jobs = new MeasuredJobs(site, screen, figures -> {});
            final ArchiveRecipe recipe =
                    new ClassRecorder(jobs, properties).record(engines(), target);
            if (!stockOnly && !recipe.hasJar("spillway-hadoop")) {
                screen.note(
                        "Spillway's classes are not in the archive, for its jar comes with each"
                                + " job: install it on the hosts first (spillway conf)");
            }
            print(TaskArchive.make(recipe, target), site::property, out);
        }
    }

    private List<Engine> engines() {
        return stockOnly ? List.of(Engine.STOCK) : List.of(Engine.STOCK, Engine.SPILLWAY);
    }

    private void print(
            final TaskArchive archive,
            final Function<String, Optional<String>> site,
            final PrintWriter out) {
        final Map<String, String> given = jobOptions.properties();
        final Map<String, String> properties =
                archive.jobProperties(
                        property ->
                                Optional.ofNullable(given.get(property))
                                        .or(() -> site.apply(property)));
        out.println("1. The archive, for " + describe(archive.recipe()) + ":");
        out.println("   " + archive.file());
        out.println("   What it was made of, for --classes on other hosts:");
        out.println("   " + archive.recipeFile());
        out.println();
        out.println(
                "2. mapred-site.xml for all jobs, or -D for one: the options that are set, and");
        out.println(
                "   those that use the archive. {{CLASSPATH}} is for the NodeManager to replace.");
        out.println();
        for (final JvmOptions jvm : JvmOptions.values()) {
            out.print(PropertyText.of(jvm.property(), properties.get(jvm.property()), note(jvm)));
        }
        out.flush();
    }

    private static String note(final JvmOptions jvm) {
        return switch (jvm) {
            case MAP -> "JVMs of maps.";
            case REDUCE -> "JVMs of reduces.";
            case MASTER -> "The MRAppMaster of each job.";
        };
    }
}
