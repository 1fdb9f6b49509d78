// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.store.tier.Tiers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two tasks of two users, neither of them the node's user: one tries to read, write, delete and
 * count the files of the other.
 */
class OtherUserFilesTest {
    private static final int VICTIM = 61_001;
    private static final int ATTACKER = 61_002;
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    private static final String VICTIMS = "job_1_1";
    private static final String OWN = "job_1_2";

    /** The expected result of each attempt. */
    private static final Map<String, String> EXPECTED = new TreeMap<>();

    static {
        for (final String denied :
                List.of(
                        "list the root",
                        "list the folder",
                        "open an output",
                        "open a spill",
                        "size of an output",
                        "hard link",
                        "symbolic link",
                        "rename",
                        "delete",
                        "truncate",
                        "make a file",
                        "list the sockets",
                        "take the socket away",
                        "listen beside it",
                        "descriptors of the victim",
                        "descriptors of the node",
                        "memory of the victim",
                        "open it again",
                        "open it again to write",
                        "change its mode",
                        "open it by path")) {
            EXPECTED.put(denied, "denied");
        }
        for (final String refused :
                List.of(
                        "with its own secret",
                        "with the stolen secret",
                        "with a recorded proof",
                        "with the attempt of the victim")) {
            EXPECTED.put(refused, "refused");
        }
        for (final String failed :
                List.of(
                        "file VICTIMS",
                        "file PLACE",
                        "file ..",
                        "file a/b",
                        "file .hidden",
                        "file a+1",
                        "file a=1",
                        "grow the spill of the victim",
                        "complete the spill of the victim",
                        "delete the spill of the victim",
                        "complete more than written")) {
            EXPECTED.put(failed, "failed");
        }
        for (final String nothing :
                List.of(
                        "a new file",
                        "read past the end",
                        "after making it longer",
                        "after taking pages",
                        "take without a proof",
                        "take without a file")) {
            EXPECTED.put(nothing, "nothing");
        }
        EXPECTED.put("mapped", "-1");
        EXPECTED.put("more than the quota", "full");
        EXPECTED.put("grow beyond the quota", "full");
        EXPECTED.put("races", "False");
    }

    @Test
    void oneUsersTaskGetsNoByteOfAnothers() throws Exception {
        assumeThat(System.getProperty("user.name")).as("only root can be others").isEqualTo("root");
        assumeThat(SETPRIV).isExecutable();
        assumeThat(PYTHON).isExecutable();
        try (LendingNode node = new LendingNode()) {
            // Other users can enter the folders above the node's folder.
            Files.setPosixFilePermissions(
                    node.folder(), PosixFilePermissions.fromString("rwxr-xr-x"));
            final Path home = Files.createDirectory(node.folder().resolve("home"));
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
            node.begin(VICTIMS, "victim", VICTIM);
            node.begin(OWN, "attacker", ATTACKER);

            final byte[] output;
            final Process victim = start(node, home, VICTIM, "victim", VICTIMS, List.of());
            try (BufferedReader said = victim.inputReader(StandardCharsets.UTF_8)) {
                final List<String> words = List.of(said.readLine().split(" "));
                output = Files.readAllBytes(Path.of(words.get(0)));
                final Map<String, String> told =
                        results(start(node, home, ATTACKER, "attack", OWN, about(victim, words)));

                assertThat(told).containsAllEntriesOf(EXPECTED);
                assertThat(told).doesNotContainValue("done");
                assertThat(output)
                        .startsWith("BYTES-OF-THE-VICTIM.".getBytes(StandardCharsets.UTF_8));
                assertThat(Files.readAllBytes(Path.of(words.get(0)))).isEqualTo(output);
                assertThat(Path.of(words.get(1))).exists();

                victim.getOutputStream().close();
                assertThat(said.readLine()).matches("turns=[1-9]\\d*");
            }
            assertThat(victim.waitFor()).isZero();
            assertTaskLeavesOnly(node, output.length);
        }
    }

    /** The task has died without a message to the node. */
    private static void assertTaskLeavesOnly(final LendingNode node, final long bytes)
            throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (node.server().tasks() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(node.files().usedBytes()).isBetween(bytes, bytes + 4096);
        node.end(VICTIMS);
        assertThat(node.files().usedBytes()).isZero();
    }

    private static List<String> about(final Process victim, final List<String> words) {
        final List<String> about = new ArrayList<>();
        about.addAll(
                List.of(
                        VICTIMS,
                        "attempt_1_1_m_0",
                        HexFormat.of().formatHex(LendingNode.secret(VICTIMS))));
        about.addAll(words);
        about.add(Long.toString(victim.pid()));
        about.add(Long.toString(ProcessHandle.current().pid()));
        return about;
    }

    private static Process start(
            final LendingNode node,
            final Path home,
            final int uid,
            final String role,
            final String job,
            final List<String> more)
            throws IOException {
        final String attempt = job.replaceFirst("job", "attempt") + "_m_0";
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                SETPRIV.toString(),
                                "--reuid=" + uid,
                                "--regid=" + uid,
                                "--clear-groups",
                                PYTHON.toString(),
                                "-c",
                                program(),
                                role,
                                node.server().socket().toString(),
                                Integer.toString(Tiers.MEMORY.code()),
                                job,
                                attempt,
                                HexFormat.of().formatHex(LendingNode.secret(job))));
        command.addAll(more);
        final ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
        builder.environment().put("HOME", home.toString());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static String program() throws IOException {
        try (InputStream in = OtherUserFilesTest.class.getResourceAsStream("task.py")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Map<String, String> results(final Process attack) throws Exception {
        final Map<String, String> results = new TreeMap<>();
        try (BufferedReader told = attack.inputReader(StandardCharsets.UTF_8)) {
            for (String line = told.readLine(); line != null; line = told.readLine()) {
                final int colon = line.lastIndexOf(": ");
                results.put(line.substring(0, colon), line.substring(colon + 2));
            }
        }
        assertThat(attack.waitFor()).as(results.toString()).isZero();
        return results;
    }
}
