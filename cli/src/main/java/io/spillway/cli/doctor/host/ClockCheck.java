// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Whether this host's clock agrees with the ResourceManager's. */
final class ClockCheck implements Check {
    /** HTTP states whole seconds, and the answer is on its way for some time. */
    private static final Duration TOLERANCE = Duration.ofSeconds(5);

    /** What Kerberos allows. */
    private static final Duration FATAL = Duration.ofMinutes(5);

    private static final int TIMEOUT_MILLIS = 3000;

    private final URI resourceManager;
    private final Clock clock;

    ClockCheck(final URI resourceManager, final Clock clock) {
        this.resourceManager = resourceManager;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "clock";
    }

    @Override
    public List<Finding> look() throws IOException {
        final HttpURLConnection connection =
                (HttpURLConnection) resourceManager.toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod("HEAD");
        final long date;
        try {
            connection.getResponseCode();
            date = connection.getDate();
        } catch (final IOException e) {
            return List.of(
                    Finding.error(
                            "the ResourceManager does not answer at " + resourceManager + ": " + e,
                            "no job can be submitted, or its web address is another one",
                            "start it, or correct yarn.resourcemanager.webapp.address"));
        } finally {
            connection.disconnect();
        }
        if (date == 0) {
            return List.of();
        }
        return skewed(Duration.between(Instant.ofEpochMilli(date), clock.instant()));
    }

    private List<Finding> skewed(final Duration skew) {
        if (skew.abs().compareTo(TOLERANCE) <= 0) {
            return List.of();
        }
        final String what =
                "the clock is "
                        + skew.abs().toSeconds()
                        + " s "
                        + (skew.isNegative() ? "behind" : "ahead of")
                        + " the ResourceManager's";
        final String why =
                "containers are refused when their tokens seem old, and times of a job are wrong";
        final String mend = "systemctl status chronyd, or: chronyc makestep";
        return List.of(
                skew.abs().compareTo(FATAL) > 0
                        ? Finding.error(what, why, mend)
                        : Finding.warning(what, why, mend));
    }
}
