// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.StatusJson;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.held.JobHolding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A member of a cluster at one moment. Immutable.
 *
 * @param service where the placement service is
 * @param answered whether that has answered the last report
 * @param space the member's memory for outputs
 * @param outputs in that memory, those on their way included
 * @param puts what was put into it
 * @param jobs of the cluster that it knows
 * @param held its outputs and bytes of each job
 * @param cluster what the placement service knows, where this member is it
 */
public record MemberStatus(
        NodeAddress service,
        boolean answered,
        NodeSpace space,
        int outputs,
        PutStats puts,
        int jobs,
        List<JobHolding> held,
        Optional<PlacementStatus> cluster) {
    /** The same by plain keys, for JSON. */
    public Map<String, Object> toMap() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("service", service.toString());
        map.put("answered", answered);
        StatusJson.putSpace(map, space);
        map.put("outputs", outputs);
        map.put("puts", map(puts));
        map.put("jobs", jobs);
        map.put("held", held.stream().map(MemberStatus::map).toList());
        cluster.ifPresent(known -> map.put("placement", StatusJson.of(known)));
        return map;
    }

    private static Map<String, Object> map(final JobHolding job) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("job", job.jobId());
        map.put("outputs", job.outputs());
        map.put("bytes", job.bytes());
        return map;
    }

    private static Map<String, Object> map(final PutStats puts) {
        final Map<String, Object> refused = new LinkedHashMap<>();
        for (final PutStats.Refusal cause : PutStats.Refusal.values()) {
            refused.put(cause.name().toLowerCase(Locale.ROOT), puts.refused().get(cause));
        }
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("pieces", puts.pieces());
        map.put("bytes", puts.bytes());
        map.put("refused", refused);
        map.put("commits", puts.commits());
        map.put("aborts", puts.aborts());
        return map;
    }
}
