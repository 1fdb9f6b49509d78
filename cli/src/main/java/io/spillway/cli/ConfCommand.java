// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.PropertyText;
import io.spillway.cli.run.Engine;
import io.spillway.cli.site.PlugIn;
import io.spillway.conf.CommonKeys;
import io.spillway.conf.ConfigurationDoc;
import io.spillway.conf.Mode;
import io.spillway.conf.Setting;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what to add to a real cluster's configuration. */
@Command(
        name = "conf",
        mixinStandardHelpOptions = true,
        description = "Prints the properties that turn Spillway on, and how to install its jar.",
        footer = {
            "",
            "Examples:",
            "  spillway conf",
            "  spillway conf --for yarn          only what goes into yarn-site.xml",
            "  spillway conf --jar               only the path of the jar",
            "  spillway conf --doc               every setting, as docs/configuration.md"
        })
final class ConfCommand implements Callable<Integer> {
    /** What an admin has to know before the NodeManagers restart. */
    private static final String MEMORY =
            """
            <!-- Nodes keep map output in memory (/dev/shm): at most a quarter of the host, and none
                 of what YARN gives to containers (yarn.nodemanager.resource.memory-mb). Each
                 NodeManager's log says how much and why, in a line with "memory tier".
                 spillway.store.memory.limit changes it; with 0 there is no tier. See "Memory for
                 map output" in docs/operating.md. -->
            """;

    /** Which file. */
    enum Target {
        MAPRED,
        YARN
    }

    @Spec private CommandSpec spec;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "auto",
            description =
                    "The design to run: auto (the best of what the nodes have), rdma, rdma-nvm or"
                            + " hadoop-a (published ones).")
    private String mode;

    @Option(
            names = "--for",
            paramLabel = "FILE",
            description = "mapred or yarn: only the properties of that file.")
    private Target target;

    @Option(names = "--jar", description = "Prints only the path of the jar.")
    private boolean jarOnly;

    @Option(names = "--doc", description = "Prints the documentation of every setting.")
    private boolean doc;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        requireMode();
        if (doc) {
            out.print(ConfigurationDoc.render());
        } else if (jarOnly) {
            out.println(PlugIn.ofThisBuild().engine());
        } else if (target == Target.MAPRED) {
            out.print(mapred());
        } else if (target == Target.YARN) {
            out.print(yarn());
        } else {
            printAll(out);
        }
        out.flush();
        return 0;
    }

    private void requireMode() {
        if (Arrays.stream(Mode.values()).noneMatch(known -> known.text().equals(mode))) {
            throw new BadInputException("--mode " + mode + ": expected " + CommonKeys.MODE.range());
        }
    }

    private void printAll(final PrintWriter out) {
        out.println("1. Copy the jar onto the class path of every NodeManager and client, as into");
        out.println("   $HADOOP_HOME/share/hadoop/mapreduce/ :");
        out.println("   " + PlugIn.ofThisBuild().engine());
        out.println();
        out.println("2. yarn-site.xml of the NodeManagers, then restart them, one by one if need");
        out.println("   be: those that are not restarted yet serve as before.");
        out.println();
        out.print(yarn());
        out.println();
        out.println("3. mapred-site.xml for all jobs, or -D for one.");
        out.println();
        out.print(mapred());
    }

    private String mapred() {
        final Map<String, String> notes = new LinkedHashMap<>();
        notes.put(
                "mapreduce.job.map.output.collector.class",
                "Sorts and spills map output; Hadoop's own collector stands by.");
        notes.put(
                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                "Fetches and merges map output; falls back to stock HTTP fetch by fetch.");
        final StringBuilder xml = new StringBuilder();
        notes.forEach(
                (name, note) ->
                        xml.append(
                                PropertyText.of(
                                        name, Engine.SPILLWAY.jobProperties().get(name), note)));
        if (!Setting.AUTO.equals(mode)) {
            xml.append(PropertyText.of(CommonKeys.MODE.name(), mode, CommonKeys.MODE.doc()));
        }
        return xml.toString();
    }

    private static String yarn() {
        return PropertyText.of(
                        PlugIn.HANDLER_PROPERTY,
                        PlugIn.HANDLER,
                        "Serves map output to Spillway's reducers and, as ever, to stock ones.")
                + MEMORY;
    }
}
