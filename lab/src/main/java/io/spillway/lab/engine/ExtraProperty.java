// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.engine;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.Engine;
import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Setting;
import io.spillway.conf.Settings;
import io.spillway.conf.UnknownSettings;
import java.util.List;

/**
 * A property that one engine of a comparison has and the others have not. Immutable.
 *
 * @param name in full
 * @param value as it stands in a configuration file
 */
record ExtraProperty(String name, String value) {
    /** No separators of the command line, and nothing that a path gives a meaning. */
    private static final String VALUE = "[A-Za-z0-9_.%-]+";

    private static final String NAME = "[A-Za-z0-9_.-]+";

    /**
     * Reads {@code key=value}; a setting's name may lack its {@value UnknownSettings#PREFIX}.
     *
     * @throws BadInputException when there is no such setting, or the value is none of it
     */
    static ExtraProperty parse(final Engine engine, final String text) {
        final int equals = text.indexOf('=');
        if (equals < 1) {
            throw bad(engine, text, "expected key=value");
        }
        final String name = fullName(text.substring(0, equals));
        final String value = text.substring(equals + 1);
        if (!name.matches(NAME) || !value.matches(VALUE)) {
            throw bad(engine, text, "expected letters, digits and . _ - only; give others by -D");
        }
        final ExtraProperty property = new ExtraProperty(name, value);
        property.check(engine, text);
        return property;
    }

    private static String fullName(final String name) {
        final String full = UnknownSettings.PREFIX + name;
        return isSetting(full) ? full : name;
    }

    private static boolean isSetting(final String name) {
        return Settings.all().stream().anyMatch(key -> key.name().equals(name));
    }

    private void check(final Engine engine, final String text) {
        if (name.startsWith(UnknownSettings.PREFIX) && !engine.needsPlugIn()) {
            throw bad(engine, text, "Hadoop's own engine has no settings of Spillway's");
        }
        final List<String> unknown = UnknownSettings.problems(List.of(name));
        if (!unknown.isEmpty()) {
            throw bad(engine, text, unknown.get(0));
        }
        if (name.indexOf('.') < 0) {
            throw bad(engine, text, "no setting of Spillway's, and no property of Hadoop's");
        }
        for (final Setting<?> key : Settings.all()) {
            if (key.name().equals(name)) {
                checkValue(engine, text, key);
            }
        }
    }

    private void checkValue(final Engine engine, final String text, final Setting<?> key) {
        try {
            key.get(property -> value);
        } catch (final InvalidSettingException e) {
            throw bad(engine, text, e.getMessage());
        }
    }

    private static BadInputException bad(
            final Engine engine, final String text, final String problem) {
        return new BadInputException("engine '" + engine.label() + "+" + text + "': " + problem);
    }

    /** As it is written on the command line. */
    String label() {
        final String shortName =
                isSetting(name) ? name.substring(UnknownSettings.PREFIX.length()) : name;
        return shortName + "=" + value;
    }
}
