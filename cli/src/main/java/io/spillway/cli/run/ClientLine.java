// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Understands the lines that Hadoop's job client prints. */
final class ClientLine {
    private static final Pattern SUBMITTED =
            Pattern.compile("(?:Submitting tokens for job|Running job): (job_\\w+)");
    private static final Pattern PROGRESS = Pattern.compile(" map (\\d{1,3})% reduce (\\d{1,3})%");

    private ClientLine() {}

    /** The id of a job that is being submitted. */
    static Optional<String> jobId(final String line) {
        final Matcher matcher = SUBMITTED.matcher(line);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    /** Progress of maps and reduces in percent. */
    static Optional<int[]> progress(final String line) {
        final Matcher matcher = PROGRESS.matcher(line);
        if (!matcher.find()) {
            return Optional.empty();
        }
        return Optional.of(
                new int[] {Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))});
    }
}
