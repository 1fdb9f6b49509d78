// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Settings;
import io.spillway.conf.UnknownSettings;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What every command that runs jobs takes. */
public final class JobOptions {
    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            mapFallbackValue = "",
            description = "A property of the jobs; wins over everything else. Repeatable.")
    private Map<String, String> properties = new TreeMap<>();

    /**
     * What was given.
     *
     * @throws BadInputException where a setting of Spillway is unknown, or its value is out of
     *     range
     */
    public Map<String, String> properties() {
        requireKnown(properties);
        try {
            Settings.validate(properties::get);
        } catch (final InvalidSettingException e) {
            throw new BadInputException("-D " + e.getMessage());
        }
        return properties;
    }

    /**
     * Refuses names that look like settings of Spillway and are none.
     *
     * @throws BadInputException for the first one
     */
    public static void requireKnown(final Map<String, String> definitions) {
        UnknownSettings.problems(definitions.keySet()).stream()
                .findFirst()
                .ifPresent(
                        problem -> {
                            throw new BadInputException(
                                    "-D " + problem + "; all: spillway conf --doc");
                        });
    }
}
