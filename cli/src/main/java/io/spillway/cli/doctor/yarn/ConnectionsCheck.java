// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.conf.InvalidSettingException;
import io.spillway.protocol.ProtocolKeys;
import java.util.List;
import java.util.Map;

/** Whether a node takes as many connections as the cluster can run reducers. */
final class ConnectionsCheck implements Check {
    private static final long DEFAULT_REDUCER_MB = 1024;

    private final long clusterMb;
    private final Map<String, String> properties;

    /**
     * Creates it.
     *
     * @param clusterMb memory of all NodeManagers for containers
     * @param properties of the site
     */
    ConnectionsCheck(final long clusterMb, final Map<String, String> properties) {
        this.clusterMb = clusterMb;
        this.properties = Map.copyOf(properties);
    }

    @Override
    public String name() {
        return "connections";
    }

    @Override
    public List<Finding> look() {
        final String set = properties.getOrDefault("mapreduce.reduce.memory.mb", "");
        final long reducerMb =
                set.matches("[1-9]\\d{0,8}") ? Long.parseLong(set) : DEFAULT_REDUCER_MB;
        final long reducers = clusterMb / reducerMb;
        try {
            final int most = ProtocolKeys.NODE_MAX_CONNECTIONS.get(properties::get);
            if (reducers <= most) {
                return List.of();
            }
            return List.of(
                    Finding.warning(
                            "the cluster has room for "
                                    + reducers
                                    + " reducers of "
                                    + reducerMb
                                    + " MB, and "
                                    + ProtocolKeys.NODE_MAX_CONNECTIONS
                                    + "="
                                    + most,
                            "each reducer has a connection to each node while it fetches: those"
                                    + " beyond wait",
                            "set "
                                    + ProtocolKeys.NODE_MAX_CONNECTIONS
                                    + " to "
                                    + reducers
                                    + " in yarn-site.xml, and LimitNOFILE above it"));
        } catch (final InvalidSettingException e) {
            return List.of(); // the settings' check says so
        }
    }
}
