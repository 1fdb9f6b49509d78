package io.spillway.node.placement.book;

import io.spillway.node.placement.message.NodeIdentity;
import io.spillway.node.placement.message.NodeSpace;
import java.util.List;
import java.util.Map;

/**
 * A {@link PlacementBook} at one moment. Immutable.
 *
 * @param settled whether the hosts have had their time to report since the start
 * @param nodes that live, by name
 * @param jobs by id
 * @param bytesByUser bytes leased and held, by the users of jobs
 * @param granted places leased since the start
 * @param refused places asked for since the start, for which no node was there
 */
public record BookStatus(
        boolean settled,
        List<Node> nodes,
        List<Job> jobs,
        Map<String, Long> bytesByUser,
        long granted,
        long refused) {
    /** Copies the lists and the map. */
    public BookStatus {
        nodes = List.copyOf(nodes);
        jobs = List.copyOf(jobs);
        bytesByUser = Map.copyOf(bytesByUser);
    }

    /**
     * A node.
     *
     * @param identity who it is
     * @param space its memory, as it has reported last
     * @param leased bytes of leases whose outputs it has not reported as committed
     * @param outputs that it holds
     * @param silentMillis since its last report
     */
    public record Node(
            NodeIdentity identity, NodeSpace space, long leased, int outputs, long silentMillis) {}

    /**
     * A job.
     *
     * @param id its id
     * @param user as whom it runs; empty while no host has told
     * @param bytes leased and held, all copies
     * @param outputs leased and held
     */
    public record Job(String id, String user, long bytes, int outputs) {}
}
