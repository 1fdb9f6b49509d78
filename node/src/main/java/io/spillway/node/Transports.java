package io.spillway.node;

import io.spillway.transport.TransportProvider;
import io.spillway.transport.tcp.TcpTransportProvider;
import io.spillway.transport.ucx.UcxProvider;
import java.util.List;

/** The transports that there are: the one place that names their classes. */
public final class Transports {
    private Transports() {}

    /** A provider of each, the one that every host has first. */
    public static List<TransportProvider> all() {
        return List.of(new TcpTransportProvider(), new UcxProvider());
    }
}
