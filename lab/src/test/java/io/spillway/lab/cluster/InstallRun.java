// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.SpillwayCommand;
import io.spillway.cli.site.JavaCommand;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Runs {@code spillway install} in a process whose environment names a Hadoop.
 *
 * @param home the Hadoop's folder
 * @param conf the folder of its configuration
 */
record InstallRun(Path home, Path conf) {
    /** Its exit code, and what it has printed. */
    record Outcome(int code, String output) {}

    Outcome of(final String... arguments) throws IOException, InterruptedException {
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                JavaCommand.path(),
                                "-D" + PlugIn.ENGINE_PROPERTY + "=" + PlugIn.ofThisBuild().engine(),
                                "-Dspillway.root=" + Clusters.work().repository(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                SpillwayCommand.class.getName(),
                                "install",
                                "--work",
                                home.resolve("work").toString()));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .putAll(Map.of("HADOOP_HOME", home.toString(), "HADOOP_CONF_DIR", conf.toString()));
        final Process process = builder.directory(home.toFile()).redirectErrorStream(true).start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    /** The bytes of all files of the configuration. */
    Map<String, String> files() throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(conf)) {
            for (final Path file : all.toList()) {
                files.put(
                        file.getFileName().toString(),
                        Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return files;
    }
}
