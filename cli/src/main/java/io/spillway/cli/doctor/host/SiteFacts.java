// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Hadoop's own classes say of this host's configuration. Immutable.
 *
 * @param hadoop the version
 * @param properties all of them, defaults included, variables replaced
 * @param stockReason why all jobs would use Hadoop's own shuffle; empty where none would
 * @param tiers what a NodeManager would offer
 */
public record SiteFacts(
        String hadoop, Map<String, String> properties, String stockReason, List<Tier> tiers) {
    /**
     * One tier.
     *
     * @param tier its name
     * @param directory where, or none
     * @param bytes the most, 0 for no tier
     * @param why what decides on it
     * @param refused whether it is wanted and cannot be had
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Tier(String tier, String directory, long bytes, String why, boolean refused) {}

    /** Copies what is mutable. */
    public SiteFacts {
        properties = Map.copyOf(properties);
        tiers = List.copyOf(tiers);
    }

    /** A property that is set to something. */
    public Optional<String> property(final String name) {
        return Optional.ofNullable(properties.get(name)).filter(value -> !value.isBlank());
    }

    /** A property that is a number. */
    public long number(final String name, final long otherwise) {
        return property(name)
                .filter(value -> value.matches("-?\\d{1,18}"))
                .map(Long::valueOf)
                .orElse(otherwise);
    }

    /** The elements of a list. */
    public List<String> list(final String name) {
        return property(name).stream()
                .flatMap(value -> List.of(value.split(",", -1)).stream())
                .map(String::strip)
                .filter(element -> !element.isEmpty())
                .toList();
    }
}
