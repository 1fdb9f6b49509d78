// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.install.SiteXml.Property;
import io.spillway.cli.run.Engine;
import io.spillway.cli.site.PlugIn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A property that turns Spillway on. Immutable.
 *
 * @param file the name of the file it belongs into
 * @param name of the property
 * @param value it must have; for a list an element it must hold
 * @param isList whether the value is a list, whose other elements stay
 */
record WantedProperty(String file, String name, String value, boolean isList) {
    private static final String MAPRED = "mapred-site.xml";
    private static final String OURS = "io.spillway.";

    /** The properties that give a job Hadoop's own collector and shuffle. */
    static final Map<String, String> STOCK_JOB =
            Map.of(
                    "mapreduce.job.map.output.collector.class",
                    "org.apache.hadoop.mapred.MapTask$MapOutputBuffer",
                    "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                    "org.apache.hadoop.mapreduce.task.reduce.Shuffle");

    private static final String STOCK_HANDLER = "org.apache.hadoop.mapred.ShuffleHandler";

    /** All of them. */
    static List<WantedProperty> all() {
        final List<WantedProperty> all = new ArrayList<>();
        all.add(
                new WantedProperty(
                        ConfFolder.YARN_SITE,
                        "yarn.nodemanager.aux-services",
                        "mapreduce_shuffle",
                        true));
        all.add(
                new WantedProperty(
                        ConfFolder.YARN_SITE, PlugIn.HANDLER_PROPERTY, PlugIn.HANDLER, false));
        Engine.SPILLWAY
                .jobProperties()
                .forEach((name, value) -> all.add(new WantedProperty(MAPRED, name, value, false)));
        return all;
    }

    /** The value to write; empty where the file has it already. */
    Optional<String> missing(final List<Property> definitions) {
        if (definitions.isEmpty()) {
            return Optional.of(value);
        }
        final String last = definitions.get(definitions.size() - 1).value();
        if (isIn(Map.of(name, last))) {
            return Optional.empty();
        }
        return Optional.of(isList && !last.isEmpty() ? last + "," + value : value);
    }

    /** Whether these properties, as Hadoop reads them, hold the value. */
    boolean isIn(final Map<String, String> properties) {
        final String read = properties.getOrDefault(name, "");
        return isList ? elements(read).contains(value) : read.equals(value);
    }

    /** Why only the administrator may change these definitions; empty where there is no reason. */
    Optional<String> obstacle(final List<Property> definitions) {
        if (definitions.size() > 1) {
            return Optional.of(
                    name
                            + " is defined "
                            + definitions.size()
                            + " times, in lines "
                            + definitions.stream().map(Property::line).toList()
                            + " of "
                            + file
                            + ": Hadoop takes the last one; delete the others");
        }
        return definitions.stream().findFirst().flatMap(this::obstacle);
    }

    private Optional<String> obstacle(final Property known) {
        final String what = file + ":" + known.line() + ": " + name + "=" + known.value();
        if (known.isFinal()) {
            return Optional.of(what + " is final: remove <final>, or " + byHand());
        }
        if (known.value().contains("${")) {
            return Optional.of(what + " has a variable in it: " + byHand());
        }
        if (known.place().isEmpty()) {
            return Optional.of(what + " has no <value> element: " + byHand());
        }
        return isList || isReplaceable(known.value())
                ? Optional.empty()
                : Optional.of(
                        what
                                + " names another plug-in: Spillway needs its place; remove the"
                                + " property if that plug-in is not in use");
    }

    /** What an administrator does instead of this command. */
    String byHand() {
        return (isList ? "add " + value + " to it" : "set it to " + value) + " by hand";
    }

    private boolean isReplaceable(final String known) {
        return elements(known).stream()
                .allMatch(
                        one ->
                                one.isEmpty()
                                        || one.startsWith(OURS)
                                        || one.equals(STOCK_HANDLER)
                                        || one.equals(STOCK_JOB.get(name)));
    }

    private static List<String> elements(final String list) {
        return List.of(list.strip().split("\\s*,\\s*", -1));
    }
}
