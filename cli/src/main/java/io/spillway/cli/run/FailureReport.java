// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.LogTail;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Says why a program failed: by the diagnostics of its failed tasks, else by its log. */
public final class FailureReport {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MOST_TEXTS = 4;
    private static final int MOST_CHARACTERS = 2_000;

    private final HadoopSite site;

    /** Asks a site's history. */
    public FailureReport(final HadoopSite site) {
        this.site = site;
    }

    /** Some lines for a person. */
    public String describe(final String label, final JobResult result) {
        final StringBuilder text = new StringBuilder();
        text.append(label).append(" failed (exit code ").append(result.exitCode()).append(')');
        List<String> reasons = diagnostics(result);
        if (reasons.isEmpty()) {
            reasons = LogTail.reason(result.log());
        }
        reasons.stream()
                .limit(MOST_TEXTS)
                .forEach(reason -> text.append("\n  ").append(shorten(reason)));
        return text.append("\n  log: ").append(result.log()).toString();
    }

    private List<String> diagnostics(final JobResult result) {
        final Optional<HistoryClient> history = HistoryClient.of(site);
        if (result.jobIds().isEmpty() || history.isEmpty()) {
            return List.of();
        }
        try {
            return history.get().diagnostics(result.lastJobId(), PATIENCE);
        } catch (final CommandException e) {
            return List.of(); // the client's log tells it then
        }
    }

    private static String shorten(final String reason) {
        final String indented = reason.replace("\n", "\n    ");
        return indented.length() <= MOST_CHARACTERS
                ? indented
                : indented.substring(0, MOST_CHARACTERS) + " ...";
    }
}
