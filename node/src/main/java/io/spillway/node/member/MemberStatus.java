package io.spillway.node.member;

import io.spillway.node.placement.book.BookStatus;
import io.spillway.node.placement.message.NodeSpace;
import io.spillway.transport.NodeAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A member of a cluster at one moment. Immutable.
 *
 * @param service where the placement service is
 * @param answered whether that has answered the last report
 * @param space the member's memory for outputs
 * @param jobs of the cluster that it knows
 * @param book what the placement service knows, where this member is it
 */
public record MemberStatus(
        NodeAddress service,
        boolean answered,
        NodeSpace space,
        int jobs,
        Optional<BookStatus> book) {
    /** The same by plain keys, for JSON. */
    public Map<String, Object> toMap() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("service", service.toString());
        map.put("answered", answered);
        putSpace(map, space);
        map.put("jobs", jobs);
        book.ifPresent(known -> map.put("placement", map(known)));
        return map;
    }

    private static void putSpace(final Map<String, Object> map, final NodeSpace space) {
        map.put("memoryOnly", space.memoryOnly());
        map.put("capacityBytes", space.capacity());
        map.put("usedBytes", space.used());
    }

    private static Map<String, Object> map(final BookStatus book) {
        final List<Object> nodes = new ArrayList<>();
        for (final BookStatus.Node node : book.nodes()) {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", node.identity().name());
            map.put("address", node.identity().address().toString());
            map.put("epoch", node.identity().epoch());
            putSpace(map, node.space());
            map.put("leasedBytes", node.leased());
            map.put("outputs", node.outputs());
            map.put("silentMillis", node.silentMillis());
            nodes.add(map);
        }
        final List<Object> jobs = new ArrayList<>();
        for (final BookStatus.Job job : book.jobs()) {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("id", job.id());
            map.put("user", job.user());
            map.put("bytes", job.bytes());
            map.put("outputs", job.outputs());
            jobs.add(map);
        }
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("settled", book.settled());
        map.put("nodes", nodes);
        map.put("jobs", jobs);
        return map;
    }
}
