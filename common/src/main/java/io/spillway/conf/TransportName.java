// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;
import java.util.ServiceLoader;

/**
 * What settings know of a transport. Transports are registered in {@code META-INF/services} under
 * the name of this interface. They are looked up while a setting is read that names them, so
 * neither their constructors nor their static fields may read one of those.
 */
public interface TransportName {
    /** The name that settings and reports use, such as {@code ucx}. */
    String name();

    /** All that are registered, by name. */
    static List<String> all() {
        return ServiceLoader.load(TransportName.class, TransportName.class.getClassLoader())
                .stream()
                .map(provider -> provider.get().name())
                .sorted()
                .toList();
    }
}
