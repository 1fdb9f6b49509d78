// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster.daemon;

import io.spillway.cli.site.LogTail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a daemon prints. Immutable.
 *
 * @param name of the daemon
 * @param file that has it
 */
public record DaemonLog(String name, Path file) {
    /** Whether a line has this text. */
    public boolean has(final String text) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.contains(text));
        } catch (final IOException e) {
            return false;
        }
    }

    /** The lines that name a reason, and where the log is; each begins with a line's end. */
    public String reason() {
        return "\n  " + String.join("\n  ", LogTail.reason(file)) + "\n  log: " + file;
    }
}
