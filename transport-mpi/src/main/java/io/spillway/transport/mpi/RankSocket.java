// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.host.UserSocket;
import io.spillway.transport.mpi.library.MpiKeys;
import java.nio.file.Path;
import java.util.function.Function;

/** Where the tasks of a host reach its rank. */
public final class RankSocket {
    private static final String NAME = "mpi.sock";

    private RankSocket() {}

    /**
     * The socket of the host's rank, which is in the folder of the node process's as a rule.
     *
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a path that is too long for a socket
     */
    public static Path of(final Function<String, String> settings) {
        return MpiKeys.MPI_SOCKET
                .get(settings)
                .path()
                .orElseGet(() -> UserSocket.ofNode(settings).resolveSibling(NAME));
    }
}
