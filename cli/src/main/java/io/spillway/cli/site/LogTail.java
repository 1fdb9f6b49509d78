// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the reason of a failure out of a log. */
public final class LogTail {
    private static final int MOST_LINES = 8;
    private static final Pattern REASON =
            Pattern.compile(
                    "\\b(ERROR|FATAL)\\b|^Caused by: |^Exception in thread|"
                            + "^(Error: |\\s*[\\w.$]+(Exception|Error)\\b)");

    private LogTail() {}

    /** The last lines that name an error, or else the last lines. */
    public static List<String> reason(final Path log) {
        final List<String> lines = read(log);
        final List<String> reasons =
                lines.stream().filter(line -> REASON.matcher(line).find()).distinct().toList();
        return last(reasons.isEmpty() ? lines : reasons);
    }

    private static List<String> last(final List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size());
    }

    private static List<String> read(final Path log) {
        try {
            final String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
            return new ArrayList<>(text.lines().toList());
        } catch (final IOException e) {
            return List.of("cannot read " + log + ": " + e);
        }
    }
}
