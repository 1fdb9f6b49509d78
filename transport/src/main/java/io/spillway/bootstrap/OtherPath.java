// SPDX-License-Identifier: Apache-2.0
package io.spillway.bootstrap;

import io.spillway.seal.SessionKeys;
import io.spillway.wire.EndpointFrame;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Serves clients over another path than their connection, such as that of an RDMA library. The
 * connection proves who they are, carries the addresses of both ends, and tells when either is
 * gone. Thread-safe.
 */
public interface OtherPath {
    /** One client's end of the path, at the node. */
    interface Session {
        /** The client's connection has ended. Called once, on the connection's event loop. */
        void clientLeft();
    }

    /** A client that has proved itself. Thread-safe. */
    interface Client {
        /** The job whose secret it knows. */
        String jobId();

        /** The version of the protocol that both sides speak, on this path too. */
        int version();

        /** Whether the node may read ahead for it. */
        boolean prefetch();

        /**
         * The keys of the session, which have to seal this path too; empty where its protection is
         * authentication.
         */
        Optional<SessionKeys> keys();

        /** Where its connection comes from. */
        InetAddress address();

        /** What logs call it. */
        String name();

        /** Tells it where the node's end is. */
        void answer(EndpointFrame frame);

        /** Ends its connection. */
        void close();

        /** Ends its connection, with one line in the log. */
        void drop(String reason);
    }

    /**
     * A client asks for its path; {@link Client#answer} or {@link Client#drop} follow. Called on
     * the connection's event loop, which must not wait.
     *
     * @param client who asks
     * @param frame where its end is
     */
    Session open(Client client, EndpointFrame frame);
}
