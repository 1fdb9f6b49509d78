// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Names the commit that a checkout is at. */
public final class Commit {
    private static final String UNKNOWN = "unknown";

    private Commit() {}

    /** The commit's id, with {@code +changes} where files differ from it; else unknown. */
    public static String of(final Path checkout) {
        final String id = idOf(checkout);
        if (id.equals(UNKNOWN)) {
            return UNKNOWN;
        }
        return git(checkout, "status", "--porcelain").isEmpty() ? id : id + "+changes";
    }

    /** The commit's id alone; else unknown. */
    public static String idOf(final Path checkout) {
        final String id = git(checkout, "rev-parse", "--short=12", "HEAD");
        return id.isEmpty() ? UNKNOWN : id;
    }

    private static String git(final Path checkout, final String... words) {
        final List<String> command = new ArrayList<>(List.of("git", "-C", checkout.toString()));
        command.addAll(List.of(words));
        try {
            final Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            final String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? text.strip() : "";
        } catch (final IOException e) {
            return ""; // no git on this machine
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
