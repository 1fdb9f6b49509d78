// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.compare.Spread;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A row of a page's table: a number of the paper, and the same number of the runs.
 *
 * @param what the number compares
 * @param paper the paper's number
 * @param here the same number of the runs; a dash where there are none
 * @param modelled the same number at the paper's size, by the model; a dash where it has none
 */
public record PaperRow(String what, String paper, String here, String modelled) {
    private static final String NOTHING = "–";

    static PaperRow of(
            final Exhibit exhibit,
            final ExhibitResults results,
            final PaperModel model,
            final Exhibit.Claim claim) {
        final Exhibit.Point point =
                exhibit.chart().points().stream()
                        .filter(one -> one.label().equals(claim.point()))
                        .findFirst()
                        .orElseThrow(() -> unknown(exhibit, "point", claim.point()));
        final Optional<Spread> of =
                results.value(point, series(exhibit, claim.of()), claim.measure());
        if (claim.over() == null) {
            return new PaperRow(
                    claim.point() + ": " + claim.of() + what(claim),
                    value(claim, claim.number()),
                    of.map(own -> value(claim, own.median())).orElse(NOTHING),
                    NOTHING);
        }
        final Optional<Spread> over =
                results.value(point, series(exhibit, claim.over()), claim.measure());
        return new PaperRow(
                claim.point() + ": " + claim.of() + " against " + claim.over() + what(claim),
                ratio(claim, claim.number()),
                of.isEmpty() || over.isEmpty() || over.get().median() <= 0
                        ? NOTHING
                        : ratio(claim, ratio(claim, of.get().median(), over.get().median())),
                modelled(exhibit, model, point, claim));
    }

    private static String modelled(
            final Exhibit exhibit,
            final PaperModel model,
            final Exhibit.Point point,
            final Exhibit.Claim claim) {
        if (claim.measure() != ExhibitMeasure.JOB_TIME) {
            return NOTHING;
        }
        final OptionalDouble of = model.seconds(point, series(exhibit, claim.of()));
        final OptionalDouble over = model.seconds(point, series(exhibit, claim.over()));
        return of.isEmpty() || over.isEmpty()
                ? NOTHING
                : ratio(claim, ratio(claim, of.getAsDouble(), over.getAsDouble()));
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
        final String words = claim.measure().words();
        return words.isEmpty() ? "" : ", " + words;
    }

    private static String value(final Exhibit.Claim claim, final double value) {
        return String.format(Locale.ROOT, "%.2f %s", value, claim.measure().unit());
    }

    private static double ratio(final Exhibit.Claim claim, final double of, final double over) {
        return claim.isFactor() ? over / of : 100 * (1 - of / over);
    }

    private static String ratio(final Exhibit.Claim claim, final double number) {
        return claim.isFactor()
                ? String.format(Locale.ROOT, "%.2f×", number)
                : String.format(Locale.ROOT, "%+.0f %%", -number);
    }
}
