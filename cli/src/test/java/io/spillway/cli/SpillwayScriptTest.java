// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the script {@code spillway} does, in a checkout of its own: its Maven makes jars of no
 * content, and its Java says what it was started with.
 */
class SpillwayScriptTest {
    private static final long PATIENCE_SECONDS = 60;

    @TempDir private Path folder;
    private Path checkout;
    private Path tools;

    private record End(int code, String out, String err) {}

    @BeforeEach
    void makeCheckout() throws IOException {
        checkout = Files.createDirectories(folder.resolve("checkout"));
        Files.copy(Path.of("../spillway"), checkout.resolve("spillway"));
        Files.copy(Path.of("../pom.xml"), checkout.resolve("pom.xml"));
        for (final String made :
                List.of(".mvn", "cli/src/main", "cli/usage", "lab/usage", "native")) {
            Files.createDirectories(checkout.resolve(made));
        }
        Files.writeString(checkout.resolve("cli/pom.xml"), "<project/>");
        Files.writeString(checkout.resolve("native/a.c"), "int a;");
        Files.writeString(checkout.resolve("cli/src/main/A.java"), "class A {}");
        Files.writeString(checkout.resolve("cli/usage/spillway.txt"), "Usage: installed\n");
        Files.writeString(checkout.resolve("lab/usage/spillway.txt"), "Usage: spillway\n");
        Files.writeString(checkout.resolve("lab/usage/spillway-run.txt"), "Usage: spillway run\n");
        tools = folder.resolve("jdk/bin");
        Files.createDirectories(tools);
        tool(
                "mvn",
                "if [ \"$1\" = --version ]; then echo 'Apache Maven 3.9.6'; exit 0; fi",
                "echo \"$@\" >>'" + folder + "/builds'",
                "echo '[INFO] Building Spillway: cli 0.1.0 [7/7]'",
                "if [ -e '" + folder + "/fail' ]; then echo '[ERROR] no such symbol'; exit 1; fi",
                "sleep 1",
                "mkdir -p cli/target/lib lab/target/lib",
                ": >lab/target/spillway-lab-0.1.0.jar",
                ": >lab/target/lib/freemarker-2.jar",
                ": >cli/target/lib/spillway-hadoop-0.1.0.jar",
                ": >cli/target/spillway-cli-0.1.0.jar");
        // Tests install no packages: a replaced JDK crashes the JVMs that run beside it.
        tool("apt-get", "exit 100");
        java(17);
    }

    private void java(final int feature) throws IOException {
        final String version = "if [ \"$1\" = -version ]; then echo '%s %d.0.1'; exit 0; fi";
        tool("javac", String.format(version, "javac", feature));
        tool(
                "java",
                String.format(version.replace("%d.0.1", "version \"%d.0.1\""), "openjdk", feature),
                "echo \"cwd=$PWD args=$*\"",
                "exit 7");
    }

    private void tool(final String name, final String... lines) throws IOException {
        final Path file = tools.resolve(name);
        Files.writeString(file, "#!/bin/bash\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Process start(final Path script, final Map<String, String> variables, final String... a)
            throws IOException {
        final List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(a));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        final Map<String, String> environment = new TreeMap<>(builder.environment());
        environment.keySet().removeIf(name -> name.startsWith("SPILLWAY_"));
        environment.put("PATH", tools + ":/usr/bin:/bin");
        environment.put("JAVA_HOME", tools.getParent().toString());
        environment.putAll(variables);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static End end(final Process process) throws Exception {
        final String out = text(process.getInputStream().readAllBytes());
        final String err = text(process.getErrorStream().readAllBytes());
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new End(process.exitValue(), out, err);
    }

    private static String text(final byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private End run(final String... arguments) throws Exception {
        return end(start(checkout.resolve("spillway"), Map.of(), arguments));
    }

    private List<String> builds() throws IOException {
        final Path log = folder.resolve("builds");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @Test
    void helpNeedsNoBuild() throws Exception {
        assertThat(run()).isEqualTo(new End(0, "Usage: spillway\n", ""));
        assertThat(run("--help")).isEqualTo(new End(0, "Usage: spillway\n", ""));
        assertThat(run("run", "--help")).isEqualTo(new End(0, "Usage: spillway run\n", ""));
        assertThat(run("version").out()).contains("Spillway 0.1.0", "Hadoop 3.", "Java 17.0.1");
        assertThat(builds()).isEmpty();
        assertThat(checkout.resolve(".spillway")).doesNotExist();
    }

    @Test
    void buildsOnceAndStartsTheCommandWithItsArgumentsAndExitCode() throws Exception {
        final End first = run("compare", "two words", "*");

        assertThat(first.code()).isEqualTo(7);
        assertThat(first.out())
                .contains("cwd=" + folder.toRealPath())
                .contains("-Dspillway.root=" + checkout)
                .containsPattern("-Dspillway.plugin.jar=\\S+/spillway-hadoop-0.1.0.jar")
                .containsPattern("-cp (\\S+)/lab/\\*:\\1/\\* ")
                .endsWith(" io.spillway.lab.LabCommand compare two words *\n");
        assertThat(first.err()).contains("Building Spillway", "[7/7]", "Built in");
        assertThat(run("conf").err()).isEmpty();
        assertThat(builds()).singleElement().asString().contains("package");
    }

    @Test
    void aReleaseNeedsNoBuildAndNoWorkFolder() throws Exception {
        final Path lib = Files.createDirectories(checkout.resolve("lib"));
        Files.createFile(lib.resolve("spillway-hadoop-0.1.0.jar"));
        final End end = run("conf");

        assertThat(end.code()).isEqualTo(7);
        assertThat(end.out())
                .contains("-Dspillway.plugin.jar=" + lib + "/spillway-hadoop-0.1.0.jar")
                .contains("-cp " + lib + "/* io.spillway.cli.SpillwayCommand conf");
        assertThat(run("--help").out()).isEqualTo("Usage: installed\n");
        assertThat(builds()).isEmpty();
        assertThat(checkout.resolve(".spillway")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cli/src/main/A.java", "cli/pom.xml", "native/a.c"})
    void buildsAgainWhenASourceHasChanged(final String source) throws Exception {
        run("conf");
        Files.writeString(checkout.resolve(source), "another text");
        run("conf");

        assertThat(builds()).hasSize(2);
        try (var old = Files.list(checkout.resolve(".spillway/dist"))) {
            assertThat(old.toList()).hasSize(1);
        }
    }

    @Test
    void aBuildThatAClusterRunsWithIsKept() throws Exception {
        run("conf");
        final Path old;
        try (var dists = Files.list(checkout.resolve(".spillway/dist"))) {
            old = dists.findFirst().orElseThrow();
        }
        final Path cluster = checkout.resolve(".spillway/clusters/a");
        Files.createDirectories(cluster);
        Files.writeString(cluster.resolve("cluster.json"), "{\"plugInJar\":\"" + old + "/x.jar\"}");
        Files.writeString(checkout.resolve("cli/src/main/A.java"), "class A { int b; }");
        run("conf");

        assertThat(old).isDirectory();
    }

    @Test
    void aBuildThatFailsIsNamedAndTriedAgain() throws Exception {
        Files.writeString(folder.resolve("fail"), "");
        final End failed = run("conf");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err())
                .contains("[ERROR] no such symbol")
                .contains("the build failed; see " + checkout.resolve(".spillway/build.log"));

        Files.delete(folder.resolve("fail"));
        assertThat(run("conf").code()).isEqualTo(7);
        assertThat(builds()).hasSize(2);
    }

    @Test
    void twoAtATimeBuildOnce() throws Exception {
        final Process one = start(checkout.resolve("spillway"), Map.of(), "conf");
        final Process other = start(checkout.resolve("spillway"), Map.of(), "conf");

        assertThat(end(one).code()).isEqualTo(7);
        assertThat(end(other).code()).isEqualTo(7);
        assertThat(builds()).hasSize(1);
    }

    @Test
    void findsItsCheckoutThroughSymbolicLinksAndItsWorkFolderFromWhereItIsCalled()
            throws Exception {
        final Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("far"), checkout.resolve("spillway"));
        Files.createSymbolicLink(folder.resolve("near"), Path.of("bin/far"));

        final End end = end(start(folder.resolve("near"), Map.of("SPILLWAY_HOME", "mine"), "conf"));
        assertThat(end.code()).isEqualTo(7);
        assertThat(end.out()).contains("-Dspillway.root=" + checkout.toRealPath());
        assertThat(folder.resolve("mine/dist")).isDirectory();
        assertThat(checkout.resolve(".spillway")).doesNotExist();
    }

    @Test
    void aWorkFolderThatCannotBeMadeIsNamed() throws Exception {
        final Path file = Files.createFile(folder.resolve("file"));
        final Map<String, String> home = Map.of("SPILLWAY_HOME", file + "/work");
        final End end = end(start(checkout.resolve("spillway"), home, "conf"));

        assertThat(end.code()).isEqualTo(2);
        assertThat(end.err()).contains("cannot make the work folder " + file + "/work");
        assertThat(builds()).isEmpty();
    }

    /** Java closes the descriptors of its children, so that only the script can be a rank. */
    @Test
    void becomesTheNodeProcessThatIsARankAndKeepsTheLaunchersDescriptors() throws Exception {
        rankJava("");
        final Process process =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                "exec 9<" + folder + "/descriptor; exec " + start("--mpi"))
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        final String out = text(process.getInputStream().readAllBytes());

        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(out).isEqualTo(9);
        assertThat(out)
                .contains(
                        "cp=a:b pid="
                                + process.pid()
                                + " launcher=of the launcher args=two words;");
    }

    @Test
    void aRankThatHasNoCommandEndsWithTheCommandLinesCode() throws Exception {
        rankJava("echo 'spillway: no Hadoop' >&2; exit 4");
        final Process process =
                new ProcessBuilder("bash", "-c", "exec 9</dev/null; exec " + start("--mpi"))
                        .redirectErrorStream(true)
                        .start();
        final String out = text(process.getInputStream().readAllBytes());

        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(4);
        assertThat(out).contains("spillway: no Hadoop").doesNotContain("pid=");
    }

    private String start(final String option) {
        return "env PATH="
                + tools
                + ":/usr/bin:/bin JAVA_HOME="
                + tools.getParent()
                + " "
                + checkout.resolve("spillway")
                + " node start "
                + option;
    }

    /** The first time it says what to become, the second time it is that. */
    private void rankJava(final String first) throws IOException {
        Files.writeString(folder.resolve("descriptor"), "of the launcher\n");
        tool(
                "java",
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"17.0.1\"'; exit 0; fi",
                "for each; do case $each in",
                "  -Dspillway.rank.command=*)",
                first,
                "    printf '%s\\0' CLASSPATH=a:b \"$0\" 'two words' >\"${each#*=}\"; exit 0 ;;",
                "esac; done",
                "read -r -u 9 launcher",
                "echo \"cp=$CLASSPATH pid=$$ launcher=$launcher args=$*;\"",
                "exit 9");
    }

    @Test
    void anOldJavaIsNotTaken() throws Exception {
        java(11);
        final End end = run("version");

        assertThat(end.code()).isZero();
        assertThat(end.out()).doesNotContain("Java 11");
    }
}
