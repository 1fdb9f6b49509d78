// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.node.metrics.NodeFigures;
import io.spillway.node.metrics.TierStatus;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;

/** What a NodeManager's handler publishes of itself. Thread-safe. */
public final class HandlerFigures implements Supplier<NodeFigures> {
    private final Instant started = Instant.now();
    private final SharedPortNode node;
    private final NodeStores stores;
    private final Map<String, String> users;

    /**
     * Creates the source of one handler's figures.
     *
     * @param users of the jobs that are served
     */
    public HandlerFigures(
            final SharedPortNode node, final NodeStores stores, final Map<String, String> users) {
        this.node = node;
        this.stores = stores;
        this.users = users;
    }

    /** The figures now; looks at the files of all tiers. */
    @Override
    public NodeFigures get() {
        final NodeFigures figures = new NodeFigures();
        figures.start(started);
        figures.transport(SharedPortNode.TCP, node.tcpStats());
        figures.transport(SharedPortNode.HTTP, node.httpStats());
        figures.fallbacks(node.httpFallbacks());
        figures.jobs(stores.name(), users.size());
        stores.tiers().forEach(tier -> figures.tier(stores.name(), TierStatus.look(tier)));
        figures.cache(node.prefetchStats());
        return figures;
    }

    /** The NodeManager's name. */
    String nodeManager() {
        return stores.name();
    }
}
