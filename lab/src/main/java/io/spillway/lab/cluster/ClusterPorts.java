// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every port of a cluster, so that daemons find one another and a restarted one is found again.
 *
 * @param resourceManager for clients
 * @param scheduler for ApplicationMasters
 * @param tracker for NodeManagers
 * @param resourceAdmin for administrators
 * @param resourceWeb the ResourceManager's pages and REST
 * @param history for clients
 * @param historyAdmin for administrators
 * @param historyWeb the JobHistoryServer's pages and REST
 * @param nameNode for clients
 * @param nameNodeWeb its pages
 * @param dataNode for data
 * @param dataNodeIpc for clients
 * @param dataNodeWeb its pages
 * @param nodes of each NodeManager
 * @param memory of each memory node, for tcp; null of a cluster of an earlier build
 */
record ClusterPorts(
        int resourceManager,
        int scheduler,
        int tracker,
        int resourceAdmin,
        int resourceWeb,
        int history,
        int historyAdmin,
        int historyWeb,
        int nameNode,
        int nameNodeWeb,
        int dataNode,
        int dataNodeIpc,
        int dataNodeWeb,
        List<NodePorts> nodes,
        List<Integer> memory) {
    /**
     * The ports of one NodeManager.
     *
     * @param manager for ApplicationMasters
     * @param localizer for localizers
     * @param web its pages
     * @param shuffle for reducers
     */
    record NodePorts(int manager, int localizer, int web, int shuffle) {}

    static ClusterPorts pick(final Ports free, final int nodes, final int memoryNodes) {
        final List<NodePorts> each = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            each.add(new NodePorts(free.next(), free.next(), free.next(), free.next()));
        }
        return new ClusterPorts(
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                free.next(),
                List.copyOf(each),
                Stream.generate(free::next).limit(memoryNodes).toList());
    }
}
