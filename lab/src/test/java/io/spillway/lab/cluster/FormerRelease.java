// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.option.ShellWord;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/**
 * The plug-in's jar one version back, built from this repository's own history: a cluster that is
 * upgraded runs both. Built once for a commit, into a folder that {@code mvn clean} deletes.
 */
public final class FormerRelease {
    /** The last commit of the former version. */
    public static final String COMMIT = "921c22a4";

    private static final long MOST_MINUTES = 10;
    private static final String JAR = "spillway-hadoop.jar";

    private FormerRelease() {}

    /**
     * The jar.
     *
     * @throws AssertionError where this clone does not have the commit, or it cannot be built
     */
    public static Path jar() throws IOException, InterruptedException {
        final Path root = root();
        final Path folder = root.resolve("lab/target/.spillway/former-" + COMMIT);
        final Path jar = folder.resolve(JAR);
        if (Files.isRegularFile(jar)) {
            return jar;
        }
        requireCommit(root);
        final Path source = folder.resolve("source-" + ProcessHandle.current().pid());
        Files.createDirectories(source);
        try {
            run(root, "git archive " + COMMIT + " | tar x -C " + quoted(source));
            run(source, "mvn -B -q -Dspillway.quick -Dmaven.test.skip=true package -pl hadoop -am");
            final Path partial = folder.resolve(source.getFileName() + ".jar");
            Files.copy(built(source), partial, StandardCopyOption.REPLACE_EXISTING);
            Files.move(partial, jar, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            WorkFolder.deleteTree(source);
        }
        return jar;
    }

    private static Path built(final Path source) throws IOException {
        try (var jars =
                Files.newDirectoryStream(
                        source.resolve("hadoop/target"), "spillway-hadoop-*.jar")) {
            return jars.iterator().next();
        }
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve(".git"))) {
            folder = folder.getParent();
        }
        assertThat(folder).as("the root of a git clone above %s", Path.of("")).isNotNull();
        return folder;
    }

    /** Fails rather than skips: without the commit nothing is known of an upgrade. */
    private static void requireCommit(final Path root) throws IOException, InterruptedException {
        assertThat(run(root, "git rev-parse --is-shallow-repository").strip())
                .as(
                        "whether this clone is shallow: the test needs commit %s"
                                + " (git fetch --unshallow)",
                        COMMIT)
                .isEqualTo("false");
        run(root, "git cat-file -e " + COMMIT + "^{commit}");
    }

    private static String quoted(final Path path) {
        return ShellWord.quoted(path.toString());
    }

    private static String run(final Path folder, final String command)
            throws IOException, InterruptedException {
        final Path log = Files.createTempFile("spillway-former-", ".log");
        try {
            final Process process =
                    new ProcessBuilder("bash", "-o", "pipefail", "-c", command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            final boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
            if (!ended) {
                process.destroyForcibly();
            }
            final String output = Files.readString(log, StandardCharsets.UTF_8);
            assertThat(ended && process.exitValue() == 0)
                    .as(
                            "success of %s in %s within %d min:\n%s",
                            command, folder, MOST_MINUTES, output)
                    .isTrue();
            return output;
        } finally {
            Files.delete(log);
        }
    }
}
