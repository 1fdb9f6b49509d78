// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * What a NodeManager with a configuration would offer of one tier on this host. Immutable.
 *
 * @param tier its name
 * @param directory where, or {@code none}
 * @param bytes the most, 0 for no tier
 * @param why what decides on the size, or why there is no tier
 * @param isRefused whether the tier is wanted and cannot be had
 */
public record TierForecast(
        String tier, String directory, long bytes, String why, boolean isRefused) {
    /** Of all tiers. Makes nothing. */
    public static List<TierForecast> all(final Configuration conf) {
        return NodeTier.all().stream().map(tier -> tier.forecast(conf)).toList();
    }
}
