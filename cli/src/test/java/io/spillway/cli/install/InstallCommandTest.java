// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.SpillwayCommand;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a user gives it, where no Hadoop runs. */
class InstallCommandTest {
    private static final int BAD_INPUT = 2;
    private static final String EMPTY = "<configuration>\n</configuration>\n";

    @TempDir private Path root;
    private Path conf;
    private final StringWriter out = new StringWriter();

    @BeforeEach
    void plant() throws IOException {
        System.setProperty("spillway.root", root.toString());
        System.setProperty(
                "spillway.plugin.jar", Files.createFile(root.resolve("spillway.jar")).toString());
        conf = Files.createDirectory(root.resolve("conf"));
        for (final String file : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
            Files.writeString(conf.resolve(file), EMPTY);
        }
    }

    @AfterEach
    void forget() {
        System.clearProperty("spillway.root");
        System.clearProperty("spillway.plugin.jar");
    }

    private int run(final String... arguments) {
        out.getBuffer().setLength(0);
        final CommandLine line = SpillwayCommand.newCommandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(
                Stream.concat(
                                Stream.of(
                                        "install",
                                        "--conf=" + conf,
                                        "--work=" + root.resolve("work")),
                                Stream.of(arguments))
                        .toArray(String[]::new));
    }

    private Map<String, String> files() throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(conf)) {
            for (final Path file : all.toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }

    @Test
    void showsAppliesAndUndoesTheChanges() throws IOException {
        final Map<String, String> before = files();
        run();
        assertThat(out.toString())
                .contains("+++ " + conf.resolve("yarn-site.xml"), "nothing was written");
        assertThat(files()).isEqualTo(before);

        assertThat(run("--apply", "--force")).isZero();
        assertThat(files())
                .hasSize(before.size() + 3)
                .hasEntrySatisfying(
                        "yarn-site.xml", text -> assertThat(text).contains(PlugIn.HANDLER));
        final Map<String, String> applied = files();
        run("--apply", "--force");
        assertThat(out.toString()).contains("nothing to change");
        assertThat(files()).isEqualTo(applied);

        assertThat(run("--undo")).isZero();
        assertThat(files()).isEqualTo(before);
        assertThat(run("--undo")).isEqualTo(BAD_INPUT);
    }

    @Test
    void writesNothingWhereThereIsAConflict() throws IOException {
        Files.writeString(
                conf.resolve("yarn-site.xml"),
                """
                <configuration>
                  <property>
                    <name>yarn.nodemanager.aux-services.mapreduce_shuffle.class</name>
                    <value>org.apache.hadoop.mapred.ShuffleHandler</value><final>true</final>
                  </property>
                </configuration>
                """);
        final Map<String, String> before = files();
        assertThat(run("--apply", "--force")).isEqualTo(1);
        assertThat(out.toString())
                .contains("conflict: yarn-site.xml:2: ", "is final", "nothing was written");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void refusesHalfAnUpgrade() {
        assertThat(run("--upgrade")).isEqualTo(BAD_INPUT);
        assertThat(out.toString()).contains("--upgrade needs --restart COMMAND");
        assertThat(run("--restart", "x {host}")).isEqualTo(BAD_INPUT);
    }
}
