// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.site.BriefJvm;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.JavaCommand;
import io.spillway.hadoop.HostProbe;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks a process that has Hadoop's classes, and may load native code. Thread-safe. */
public final class SiteProbe {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final InstalledHadoop hadoop;
    private final Duration limit;

    /**
     * Creates it.
     *
     * @param limit how long a process may take
     */
    public SiteProbe(final InstalledHadoop hadoop, final Duration limit) {
        this.hadoop = hadoop;
        this.limit = limit;
    }

    /** What the configuration says. */
    public SiteFacts facts() throws IOException {
        return MAPPER.treeToValue(ask(List.of()), SiteFacts.class);
    }

    /** Why UCX cannot be used; empty where it can. */
    String ucxObstacle() throws IOException {
        return ask(List.of(HostProbe.UCX)).path("obstacle").asText();
    }

    private JsonNode ask(final List<String> arguments) throws IOException {
        final List<String> command = new ArrayList<>(List.of(JavaCommand.path()));
        command.addAll(BriefJvm.OPTIONS);
        command.add("-Djava.awt.headless=true");
        command.add(HostProbe.class.getName());
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("CLASSPATH", classPath());
        builder.environment().putIfAbsent("UCX_ERROR_SIGNALS", "");
        builder.redirectInput(new File("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        final Process process = builder.start();
        final Thread end = new Thread(() -> endAfter(process), "doctor-probe");
        end.setDaemon(true);
        end.start();
        final String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return MAPPER.readTree(
                text.lines()
                        .filter(line -> line.startsWith("{"))
                        .reduce((first, last) -> last)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "a process with Hadoop's class path has ended"
                                                        + " without an answer")));
    }

    private String classPath() {
        final List<String> entries = new ArrayList<>();
        entries.add(hadoop.plugIn().engine().toString());
        entries.add(hadoop.configuration().toString());
        entries.addAll(hadoop.clientClassPath());
        return String.join(File.pathSeparator, entries);
    }

    private void endAfter(final Process process) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            process.destroyForcibly();
        }
    }
}
