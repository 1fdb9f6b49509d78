// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.compare.Spread;
import java.util.Locale;
import java.util.Optional;

/**
 * A row of a page's table: a number of the paper, and the same number of the runs.
 *
 * @param what the number compares
 * @param paper the paper's number
 * @param here the same number of the runs; a dash where there are none
 */
public record PaperRow(String what, String paper, String here) {
    private static final String NOTHING = "–";

    static PaperRow of(
            final Exhibit exhibit, final ExhibitResults results, final Exhibit.Claim claim) {
        final Exhibit.Point point =
                exhibit.chart().points().stream()
                        .filter(one -> one.label().equals(claim.point()))
                        .findFirst()
                        .orElseThrow(() -> unknown(exhibit, "point", claim.point()));
        final Optional<Spread> of = results.value(point, series(exhibit, claim.of()), claim.key());
        final Optional<Spread> over =
                results.value(point, series(exhibit, claim.over()), claim.key());
        return new PaperRow(
                claim.point() + ": " + claim.of() + " against " + claim.over() + what(claim),
                text(claim, claim.percent(), claim.times()),
                of.isEmpty() || over.isEmpty() || over.get().median() <= 0
                        ? NOTHING
                        : text(
                                claim,
                                100 * (1 - of.get().median() / over.get().median()),
                                over.get().median() / of.get().median()));
    }

    private static Exhibit.Series series(final Exhibit exhibit, final String name) {
        return exhibit.chart().series().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(exhibit, "series", name));
    }

    private static IllegalStateException unknown(
            final Exhibit exhibit, final String kind, final String name) {
        return new IllegalStateException(
                exhibit.id() + ": a claim names the missing " + kind + " '" + name + "'");
    }

    private static String what(final Exhibit.Claim claim) {
        return switch (claim.key()) {
            case "map_phase_seconds" -> ", map phase";
            case "spill_and_merge_seconds" -> ", spill and merge of a map";
            default -> "";
        };
    }

    private static String text(
            final Exhibit.Claim claim, final double percent, final double times) {
        return claim.times() > 0
                ? String.format(Locale.ROOT, "%.2f×", times)
                : String.format(Locale.ROOT, "%+.0f %%", -percent);
    }
}
