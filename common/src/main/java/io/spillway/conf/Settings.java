// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Function;

/** The settings of all modules on the class path. Immutable and thread-safe. */
public final class Settings {
    private static final List<Setting<?>> ALL = registered();

    private Settings() {}

    private static List<Setting<?>> registered() {
        final List<Setting<?>> settings = new ArrayList<>();
        for (final SettingGroup group :
                ServiceLoader.load(SettingGroup.class, SettingGroup.class.getClassLoader())) {
            settings.addAll(group.settings());
        }
        settings.sort(Comparator.comparing(Setting::name));
        return List.copyOf(settings);
    }

    /** All settings, by name. */
    public static List<Setting<?>> all() {
        return ALL;
    }

    /**
     * Checks every setting.
     *
     * @throws InvalidSettingException for the first one that does not hold
     */
    public static void validate(final Function<String, String> lookup) {
        for (final Setting<?> setting : ALL) {
            setting.get(lookup);
        }
    }
}
