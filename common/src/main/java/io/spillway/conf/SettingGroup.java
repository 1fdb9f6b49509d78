// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;

/**
 * The settings of a module. Registered in {@code META-INF/services} under the name of this
 * interface, by which {@link Settings} finds them.
 */
public interface SettingGroup {
    /** All settings of the module. */
    List<Setting<?>> settings();
}
