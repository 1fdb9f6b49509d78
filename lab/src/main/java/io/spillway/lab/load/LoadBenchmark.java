// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.net.NetBenchmark;
import io.spillway.lab.net.NetProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts node and tasks, and gathers what the stages took. One thread. */
public final class LoadBenchmark {
    /** Of the node's capacity, beside the bytes: chunks that are not full. */
    private static final int SHARE_OF_OVERHEAD = 4;

    private static final long OTHER_MEMORY = 512L << 20;
    private static final String HEAP = "-Xmx1g";
    private static final String OUTPUTS = "outputs";

    private final List<String> classPath;
    private final Path folder;
    private final LoadPlan plan;

    /**
     * Prepares a benchmark.
     *
     * @param classPath of both processes: Hadoop's jars and Spillway's
     * @param folder for the outputs on disk, and for what the processes say on standard error
     */
    public LoadBenchmark(final List<String> classPath, final Path folder, final LoadPlan plan) {
        this.classPath = List.copyOf(classPath);
        this.folder = folder;
        this.plan = plan;
        try {
            Files.createDirectories(folder);
        } catch (final IOException e) {
            throw new CommandException("cannot make " + folder + ": " + e, e);
        }
    }

    /**
     * Runs all stages.
     *
     * @throws CommandException when a process fails
     */
    public LoadResult run(final Monitor monitor) {
        final String secret = NetBenchmark.newSecret();
        final List<LoadRow> rows = new ArrayList<>();
        try (Monitor.Task shown = monitor.begin("Load", plan.tasks());
                NetProcess node = node(secret);
                NetProcess tasks = tasks(node.await(LoadNode.READY), secret)) {
            String line = tasks.await("");
            while (!line.equals(LoadTasks.END)) {
                take(line, rows, shown);
                line = tasks.await("");
            }
            WorkFolder.deleteTree(folder.resolve(OUTPUTS));
            shown.done("");
        } catch (final IOException e) {
            throw new CommandException("after " + rows.size() + " stages: " + e.getMessage(), e);
        }
        return new LoadResult(plan, rows);
    }

    private static void take(
            final String line, final List<LoadRow> rows, final Monitor.Task shown) {
        if (line.startsWith(LoadTasks.ROW)) {
            rows.add(LoadRow.parse(line.substring(LoadTasks.ROW.length()), "\t"));
        } else if (line.startsWith(LoadTasks.AT)) {
            final int stage = Math.min(rows.size(), LoadStage.values().length - 1);
            shown.at(
                    Long.parseLong(line.substring(LoadTasks.AT.length())),
                    LoadStage.values()[stage].label());
        }
    }

    private NetProcess node(final String secret) {
        final long capacity = plan.memory() + plan.memory() / SHARE_OF_OVERHEAD + OTHER_MEMORY;
        final List<String> arguments =
                new ArrayList<>(
                        List.of(String.valueOf(capacity), folder.resolve(OUTPUTS).toString()));
        arguments.addAll(plan.arguments());
        final ProcessBuilder builder =
                new ProcessBuilder(
                        NetProcess.java(
                                List.of(
                                        HEAP,
                                        "-XX:MaxDirectMemorySize=" + (capacity + OTHER_MEMORY)),
                                classPath,
                                LoadNode.class,
                                arguments));
        return new NetProcess("the node", builder, secret, folder.resolve("node.log"));
    }

    private NetProcess tasks(final String port, final String secret) {
        final List<String> arguments = new ArrayList<>(List.of(port));
        arguments.addAll(plan.arguments());
        final ProcessBuilder builder =
                new ProcessBuilder(
                        NetProcess.java(List.of(HEAP), classPath, LoadTasks.class, arguments));
        return new NetProcess(
                "the process of the tasks", builder, secret, folder.resolve("tasks.log"));
    }
}
