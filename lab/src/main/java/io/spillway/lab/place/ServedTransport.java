// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.mpi.Mpirun;
import java.util.Map;
import java.util.Optional;

/** What a cluster needs so that its nodes serve a transport. */
public final class ServedTransport {
    /** Has the handlers of a cluster start the process that serves other transports than tcp. */
    private static final String LAUNCH = "spillway.node.launch";

    private static final String TCP = "tcp";
    private static final String MPI = "mpi";

    private ServedTransport() {}

    /** A cluster that can serve a transport, where one is asked for. */
    public static ClusterSpec of(final Optional<String> transport, final ClusterSpec cluster) {
        return transport.map(name -> of(name, cluster)).orElse(cluster);
    }

    /** A cluster that can serve a transport. */
    public static ClusterSpec of(final String transport, final ClusterSpec cluster) {
        return switch (transport) {
            case TCP -> cluster;
            case MPI -> cluster.hasWorld() ? cluster : cluster.withMpirun(Mpirun.ANY);
            default -> cluster.withProperties(Map.of(LAUNCH, "true"));
        };
    }
}
