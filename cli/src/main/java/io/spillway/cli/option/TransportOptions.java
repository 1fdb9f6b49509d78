// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.conf.InvalidSettingException;
import io.spillway.transport.choice.TransportKeys;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Over what the reducers of jobs fetch. */
public final class TransportOptions {
    /** Has the handlers of a cluster start the process that serves other transports than tcp. */
    private static final String LAUNCH = "spillway.node.launch";

    private static final String TCP = "tcp";
    private static final String MPI = "mpi";

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description =
                    "What reducers fetch with: auto, tcp, ucx or mpi. A local cluster that is"
                            + " started for this gets a node process, which serves ucx, as a rank"
                            + " of an MPI world for mpi; elsewhere that is the cluster's to have"
                            + " (default: the jobs' setting).")
    private String transport;

    /**
     * Properties of jobs with the transport added; one that is among them already wins.
     *
     * @throws BadInputException when there is no such transport
     */
    public Map<String, String> with(final Map<String, String> properties) {
        final Map<String, String> all = new TreeMap<>();
        if (transport != null) {
            all.put(TransportKeys.TRANSPORT.name(), name());
        }
        all.putAll(properties);
        return all;
    }

    /** A cluster that can serve the transport. */
    public ClusterSpec apply(final ClusterSpec cluster) {
        return transport == null ? cluster : serve(name(), cluster);
    }

    /** A cluster that can serve a transport. */
    public static ClusterSpec serve(final String transport, final ClusterSpec cluster) {
        return switch (transport) {
            case TCP -> cluster;
            case MPI -> cluster.hasWorld() ? cluster : cluster.withMpirun(Mpirun.ANY);
            default -> cluster.withProperties(Map.of(LAUNCH, "true"));
        };
    }

    private String name() {
        try {
            return TransportKeys.TRANSPORT.get(property -> transport);
        } catch (final InvalidSettingException e) {
            throw new BadInputException(
                    "--transport " + transport + ": expected " + TransportKeys.TRANSPORT.range());
        }
    }
}
