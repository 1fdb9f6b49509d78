package io.spillway.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What settings know of a transport. Transports are registered in {@code META-INF/services} under
 * the name of this interface; settings are declared while they are looked up, so neither their
 * constructors nor their static fields may use a setting.
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

    /** Auto, and all that are registered. */
    static List<String> orAuto() {
        final List<String> choices = new ArrayList<>(List.of(SpillwayKeys.AUTO));
        choices.addAll(all());
        return choices;
    }
}
