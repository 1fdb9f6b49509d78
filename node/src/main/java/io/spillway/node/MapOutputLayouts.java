// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;

/** The layouts that are registered. */
public final class MapOutputLayouts {
    private MapOutputLayouts() {}

    /**
     * That of the framework whose jar is on the class path.
     *
     * @throws IOException where there is none, or more than one
     */
    public static MapOutputLayout only() throws IOException {
        final ClassLoader loader = MapOutputLayouts.class.getClassLoader();
        return only(
                ServiceLoader.load(MapOutputLayout.class, loader).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList());
    }

    static MapOutputLayout only(final List<MapOutputLayout> registered) throws IOException {
        if (registered.size() != 1) {
            throw new IOException(
                    "layouts of map outputs on the class path: "
                            + registered.stream().map(l -> l.getClass().getName()).toList()
                            + ", expected one, from the Spillway jar of one framework");
        }
        return registered.get(0);
    }
}
