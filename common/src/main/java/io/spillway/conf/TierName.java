// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Predicate;

/**
 * What settings and transports know of a tier of stores. Tiers are registered in {@code
 * META-INF/services} under the name of this interface. They are looked up while a setting is read
 * that names them, so neither their constructors nor their static fields may read one of those.
 */
public interface TierName {
    /** The code of tiers that no node serves, and of those that a reader does not know. */
    int NOT_SERVED = 0;

    /** Its name in settings, logs and names of folders: one word in lower case. */
    String label();

    /** What stands for it on the wire; {@link #NOT_SERVED} where map outputs do not go to it. */
    default int code() {
        return NOT_SERVED;
    }

    /** Whether a node can serve what lies there, so that map outputs may go to it. */
    default boolean takesOutputs() {
        return code() != NOT_SERVED;
    }

    /** The tiers that spills may go to, in the order of their registration. */
    static List<String> ofSpills() {
        return labels(tier -> true);
    }

    /** The tiers that map outputs may go to, in the order of their registration. */
    static List<String> ofOutputs() {
        return labels(TierName::takesOutputs);
    }

    private static List<String> labels(final Predicate<TierName> condition) {
        return ServiceLoader.load(TierName.class, TierName.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(condition)
                .map(TierName::label)
                .toList();
    }
}
