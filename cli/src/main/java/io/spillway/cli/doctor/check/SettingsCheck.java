// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Setting;
import io.spillway.conf.Settings;
import io.spillway.conf.UnknownSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether what begins with {@code spillway.} is a setting, with a value that it can have. */
public final class SettingsCheck implements Check {
    private final Map<String, String> properties;

    /** For the properties of a configuration. */
    public SettingsCheck(final Map<String, String> properties) {
        this.properties = Map.copyOf(properties);
    }

    @Override
    public String name() {
        return "settings";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        for (final Setting<?> setting : Settings.all()) {
            try {
                setting.get(properties::get);
            } catch (final InvalidSettingException e) {
                findings.add(
                        Finding.error(
                                e.getMessage(),
                                "what reads it ("
                                        + String.join(", ", readers(setting))
                                        + ") serves stock HTTP or uses Hadoop's own shuffle",
                                "set " + setting.name() + " to " + setting.defaultText()));
            }
        }
        for (final String problem : UnknownSettings.problems(properties.keySet())) {
            findings.add(
                    Finding.warning(
                            problem,
                            "it has no effect",
                            "correct or remove it: docs/configuration.md has all names"));
        }
        return findings;
    }

    private static List<String> readers(final Setting<?> setting) {
        return setting.readers().stream().map(Setting.Reader::label).toList();
    }
}
