// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Predicate;

/**
 * What settings know of a transport. Transports are registered in {@code META-INF/services} under
 * the name of this interface. They are looked up while a setting is read that names them, so
 * neither their constructors nor their static fields may read one of those.
 */
public interface TransportName {
    /** The name that settings and reports use, such as {@code ucx}. */
    String name();

    /** Whether a node process serves it. */
    default boolean isServed() {
        return true;
    }

    /** All that are registered, by name. */
    static List<String> all() {
        return those(name -> true);
    }

    /** Those that a node process serves, by name. */
    static List<String> served() {
        return those(TransportName::isServed);
    }

    private static List<String> those(final Predicate<TransportName> wanted) {
        return ServiceLoader.load(TransportName.class, TransportName.class.getClassLoader())
                .stream()
                .map(ServiceLoader.Provider::get)
                .filter(wanted)
                .map(TransportName::name)
                .sorted()
                .toList();
    }
}
