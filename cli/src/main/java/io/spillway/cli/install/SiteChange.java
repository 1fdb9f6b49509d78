// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A change of a file. Its texts have a character for each byte (ISO-8859-1). Immutable.
 *
 * @param file to change
 * @param before its text; empty where there is no file
 * @param after its text after the change
 */
record SiteChange(Path file, Optional<String> before, String after) {
    private static final int CONTEXT_LINES = 3;
    private static final String NO_FILE = "/dev/null";

    /** As a unified diff. */
    String diff() {
        return diff(
                before.isPresent() ? file.toString() : NO_FILE,
                before.orElse(""),
                file.toString(),
                after);
    }

    /** The differences of two texts that have a character for each byte, as a unified diff. */
    static String diff(
            final String oldName, final String old, final String newName, final String young) {
        final List<String> oldLines = lines(old);
        final List<String> diff =
                UnifiedDiffUtils.generateUnifiedDiff(
                        oldName,
                        newName,
                        oldLines,
                        DiffUtils.diff(oldLines, lines(young)),
                        CONTEXT_LINES);
        return diff.isEmpty() ? "" : String.join("\n", diff) + "\n";
    }

    private static List<String> lines(final String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }
}
