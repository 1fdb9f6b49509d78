// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.placement.message.NodeSpace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A {@link PlacementStatus} by plain keys, for JSON. A limit that is none is null there. */
public final class StatusJson {
    private StatusJson() {}

    /** The whole status. */
    public static Map<String, Object> of(final PlacementStatus status) {
        final ServiceFigures service = status.service();
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("settled", service.settled());
        map.put("intervalMillis", service.intervalMillis());
        map.put("highWater", service.highWater());
        map.put("totals", totals(status));
        map.put("jobLimitBytes", limit(service.jobLimit()));
        map.put("userLimitBytes", limit(service.userLimit()));
        map.put("nodes", status.nodes().stream().map(node -> map(node, service)).toList());
        map.put("jobs", status.jobs().stream().map(StatusJson::map).toList());
        map.put("users", users(status.bytesByUser()));
        return map;
    }

    /** The memory of a node. */
    public static void putSpace(final Map<String, Object> map, final NodeSpace space) {
        map.put("memoryOnly", space.memoryOnly());
        map.put("capacityBytes", space.capacity());
        map.put("usedBytes", space.used());
        map.put("overflowCapacityBytes", space.overflowCapacity());
        map.put("overflowUsedBytes", space.overflowUsed());
    }

    private static Map<String, Object> totals(final PlacementStatus status) {
        final ServiceFigures service = status.service();
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("nodes", status.nodes().size());
        map.put("memoryNodes", status.nodes().stream().filter(n -> n.space().memoryOnly()).count());
        map.put("capacityBytes", status.capacity());
        map.put("usedBytes", status.used());
        map.put("leasedBytes", status.leased());
        map.put("outputs", status.outputs());
        map.put("jobs", status.jobs().size());
        map.put("leases", service.leases());
        map.put("granted", service.granted());
        final Map<String, Object> refused = new LinkedHashMap<>();
        for (final LeaseRefusal cause : LeaseRefusal.values()) {
            refused.put(cause.name().toLowerCase(Locale.ROOT), service.refused().get(cause));
        }
        map.put("refused", refused);
        return map;
    }

    private static Object limit(final long bytes) {
        return bytes == ServiceFigures.UNLIMITED ? null : bytes;
    }

    private static Map<String, Object> map(final NodeFill node, final ServiceFigures service) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", node.identity().name());
        map.put("address", node.identity().address().toString());
        map.put("epoch", node.identity().epoch());
        map.put("state", node.state(service).toString());
        putSpace(map, node.space());
        map.put("leasedBytes", node.leased());
        map.put("outputs", node.outputs());
        map.put("silentMillis", node.silentMillis());
        return map;
    }

    private static Map<String, Object> map(final JobFill job) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", job.id());
        map.put("user", job.user());
        map.put("bytes", job.bytes());
        map.put("outputs", job.outputs());
        map.put("refused", job.refused());
        return map;
    }

    private static Map<String, Object> map(final String user, final long bytes) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", user);
        map.put("bytes", bytes);
        return map;
    }

    private static List<Map<String, Object>> users(final Map<String, Long> bytesByUser) {
        return new TreeMap<>(bytesByUser)
                .entrySet().stream().map(user -> map(user.getKey(), user.getValue())).toList();
    }
}
