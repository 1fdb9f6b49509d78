// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.site.Rest;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Whether a NodeManager answers over HTTP; keeps what it says. */
final class ManagerCheck implements Check {
    private final Rest rest;
    private final URI web;
    private volatile ManagerFacts found;

    ManagerCheck(final Rest rest, final URI web) {
        this.rest = rest;
        this.web = web;
    }

    @Override
    public String name() {
        return "node-manager";
    }

    @Override
    public List<Finding> look() {
        try {
            found = ManagerFacts.ask(rest, web);
            return List.of();
        } catch (final IOException e) {
            return List.of(
                    Finding.warning(
                            web + " does not say how it is configured: " + e.getMessage(),
                            "nothing of it was looked at; with security on, only administrators"
                                    + " may ask",
                            "run spillway doctor on that host"));
        }
    }

    /** What it has said; nothing where it has not. */
    Optional<ManagerFacts> facts() {
        return Optional.ofNullable(found);
    }
}
