// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.NetworkNamespace;
import io.spillway.transport.NodeAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two hosts: a node and a reducer in network namespaces of their own, with one link between. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class UcxNamespaceIT {
    private static final long DETECTION_MILLIS = 15_000;
    private static final String NODE_ADDRESS = NetworkNamespace.address(1);
    private static final String REDUCER_ADDRESS = NetworkNamespace.address(2);

    private final List<UcxChild> children = new ArrayList<>();
    private NetworkNamespace nodeSide;
    private NetworkNamespace reducerSide;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @BeforeEach
    void makeNamespaces() throws Exception {
        nodeSide = NetworkNamespace.make("spwn");
        reducerSide = NetworkNamespace.make("spwr");
        NetworkNamespace.link(nodeSide, NODE_ADDRESS, reducerSide, REDUCER_ADDRESS);
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (final UcxChild child : children) {
            child.close();
        }
        for (final NetworkNamespace side : new NetworkNamespace[] {nodeSide, reducerSide}) {
            if (side != null) {
                side.close();
            }
        }
    }

    /** UCX takes two namespaces of a host for one, and would try shared memory and loopback. */
    private static Map<String, String> settings(final NetworkNamespace side) {
        return Map.of(
                "spillway.ucx.tls", "tcp",
                "spillway.ucx.net-devices", side.name(),
                "spillway.shuffle.read.timeout.ms", "4000",
                "spillway.shuffle.connect.timeout.ms", "4000");
    }

    @Test
    void noticesALinkThatIsDownAndGoesOnWhenItIsUp() throws Exception {
        final UcxChild node = UcxChild.node(nodeSide.command(), NODE_ADDRESS, settings(nodeSide));
        children.add(node);
        final NodeAddress address = new NodeAddress(NODE_ADDRESS, node.awaitPort());
        final UcxChild reducer =
                UcxChild.reducer(reducerSide.command(), address, settings(reducerSide));
        children.add(reducer);
        reducer.await("FETCHED");

        nodeSide.setLink(false);
        final long down = System.nanoTime();
        assertThat(reducer.await("LOST")).isNotEmpty();
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - down))
                .isLessThan(DETECTION_MILLIS);

        assertThat(reducer.await("LOST")).as("an attempt to reconnect").isNotEmpty();
        nodeSide.setLink(true);
        assertThat(reducer.await("FETCHED")).isNotEmpty();
    }
}
