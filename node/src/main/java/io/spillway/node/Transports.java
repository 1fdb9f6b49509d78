// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.conf.TransportName;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpTransport;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The transports that are registered. */
public final class Transports {
    private static final Comparator<TransportProvider> TCP_FIRST =
            Comparator.comparing(
                            (TransportProvider known) -> !known.name().equals(TcpTransport.NAME))
                    .thenComparing(TransportProvider::name);

    private Transports() {}

    /** A provider of each, the one that every host has first. */
    public static List<TransportProvider> all() {
        return ServiceLoader.load(TransportName.class, Transports.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(TransportProvider.class::isInstance)
                .map(TransportProvider.class::cast)
                .sorted(TCP_FIRST)
                .toList();
    }
}
