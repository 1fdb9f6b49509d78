// SPDX-License-Identifier: Apache-2.0
package io.spillway.bootstrap;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.function.Function;

/**
 * Makes both ends of the connections by which clients come to a node. Registered in {@code
 * META-INF/services/io.spillway.bootstrap.Bootstrap}; there is one implementation, over tcp.
 * Thread-safe.
 */
public interface Bootstrap {
    /**
     * The one that is registered.
     *
     * @throws IllegalStateException when there is none on the class path
     */
    static Bootstrap load() {
        return ServiceLoader.load(Bootstrap.class, Bootstrap.class.getClassLoader())
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "no "
                                                + Bootstrap.class.getName()
                                                + " is registered, expected"
                                                + " spillway-transport-stream on the class path"));
    }

    /**
     * Makes a client.
     *
     * @param settings returns the text of a property, or null where it is not set
     * @param memory grants what is allocated outside the heap
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting in use
     */
    BootstrapClient newClient(Function<String, String> settings, DirectMemory memory);

    /**
     * Starts a server, whose clients can go on to another path. It also serves fetches and takes
     * puts on the connections themselves.
     *
     * @param host the address to listen at, and to be reached at
     * @param port 0 for any free one
     * @param source what to serve; its sink, where it has one, takes what clients put
     * @param secrets of the jobs to serve
     * @param settings the limits
     * @param epoch the node's incarnation, another one after each start
     * @param path where clients go on to
     * @param memory grants what is allocated outside the heap
     * @throws IOException when it cannot listen; the message names host and port
     */
    SegmentServer newServer(
            String host,
            int port,
            SegmentSource source,
            JobSecrets secrets,
            ServerSettings settings,
            long epoch,
            OtherPath path,
            DirectMemory memory)
            throws IOException;
}
