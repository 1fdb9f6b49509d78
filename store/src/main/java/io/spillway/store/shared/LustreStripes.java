// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import io.spillway.thread.Uninterrupted;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says how Lustre lays out the files of a folder, by its command {@code lfs}. On another file
 * system nothing is done; where the command is missing, fails or hangs, files are laid out as the
 * folder above says, and one line in the log tells. Thread-safe.
 */
public final class LustreStripes {
    private static final Logger LOG = LoggerFactory.getLogger(LustreStripes.class);

    /** The command's name. */
    public static final String COMMAND = "lfs";

    /** As {@code /proc/mounts} has it. */
    private static final String LUSTRE = "lustre";

    /** The block, and so the stripe, with which IPDPS'15 measured the best throughput. */
    static final long STRIPE_BYTES = 256L << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Of what the command says. */
    private static final int MAX_MESSAGE = 500;

    private final String command;
    private final int count;
    private final Duration patience;

    /**
     * Creates the layout.
     *
     * @param count over how many object storage targets a file is spread
     */
    public LustreStripes(final int count) {
        this(COMMAND, count);
    }

    /**
     * Creates it with another command in place of lfs.
     *
     * @param command lfs
     */
    public LustreStripes(final String command, final int count) {
        this(command, count, PATIENCE);
    }

    LustreStripes(final String command, final int count, final Duration patience) {
        this.command = command;
        this.count = count;
        this.patience = patience;
    }

    /** Whether a path that exists is on Lustre. */
    public static boolean isLustre(final Path path) throws IOException {
        return LUSTRE.equals(Files.getFileStore(path).type());
    }

    /**
     * Lays out what will be made in a folder, where that is on Lustre. Waits ten seconds at most.
     */
    void set(final Path folder) {
        try {
            if (isLustre(folder)) {
                run(folder);
            }
        } catch (final IOException e) {
            LOG.warn("Stripes of {} stay those of the folder above it: {}", folder, e.getMessage());
        }
    }

    /**
     * Runs the command, whatever the file system.
     *
     * @throws IOException where it is missing, fails or hangs; the message has its own
     */
    void run(final Path folder) throws IOException {
        final String unused =
                run(
                        "setstripe",
                        "-S",
                        Long.toString(STRIPE_BYTES),
                        "-c",
                        Integer.toString(count),
                        folder.toString());
    }

    /**
     * Sets the layout of a job's folder, on any type of file system, and checks that new files will
     * have it.
     *
     * @throws IOException where they will not, or where the command is missing, fails or hangs; the
     *     message has the command's output
     */
    public void prove(final Path folder) throws IOException {
        run(folder);
        final String layout = run("getstripe", "-d", folder.toString());
        requireLayout(layout, "stripe_count", count);
        requireLayout(layout, "stripe_size", STRIPE_BYTES);
    }

    private static void requireLayout(final String layout, final String name, final long wanted)
            throws IOException {
        final Pattern part = Pattern.compile("\\b" + name + ":\\s+" + wanted + "\\b");
        if (!part.matcher(layout).find()) {
            throw new IOException("layout=[" + layout + "], expected " + name + ": " + wanted);
        }
    }

    private String run(final String... words) throws IOException {
        final List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of(words));
        final File said = Files.createTempFile("spillway-lfs", ".log").toFile();
        try {
            final Process process =
                    new ProcessBuilder(line)
                            .redirectErrorStream(true)
                            .redirectOutput(said)
                            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                            .start();
            requireSuccess(process, String.join(" ", line), said.toPath());
            return messageIn(said.toPath());
        } finally {
            Files.delete(said.toPath());
        }
    }

    private void requireSuccess(final Process process, final String line, final Path said)
            throws IOException {
        if (!Uninterrupted.await(
                () -> process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS))) {
            process.destroyForcibly();
            throw new IOException(line + ": no answer within " + patience.toMillis() + " ms");
        }
        if (process.exitValue() != 0) {
            throw new IOException(
                    line + ": exit code " + process.exitValue() + ": " + messageIn(said));
        }
    }

    private static String messageIn(final Path said) throws IOException {
        final String text =
                new String(Files.readAllBytes(said), StandardCharsets.UTF_8)
                        .strip()
                        .replaceAll("\\s*\\R\\s*", "; ");
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE);
    }
}
