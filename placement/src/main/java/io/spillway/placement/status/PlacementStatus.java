// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the placement service knows at one moment. Immutable.
 *
 * @param service the service's own figures
 * @param nodes that live, by name
 * @param jobs by id
 * @param bytesByUser bytes leased and held, by the users of jobs
 */
public record PlacementStatus(
        ServiceFigures service,
        List<NodeFill> nodes,
        List<JobFill> jobs,
        Map<String, Long> bytesByUser) {
    private static final Comparator<NodeFill> BY_NAME =
            Comparator.comparing(node -> node.identity().name());

    /** Sorts and copies the lists, and copies the map. */
    public PlacementStatus {
        Objects.requireNonNull(service, "service");
        nodes = nodes.stream().sorted(BY_NAME).toList();
        jobs = jobs.stream().sorted(Comparator.comparing(JobFill::id)).toList();
        bytesByUser = Map.copyOf(bytesByUser);
    }

    /** Of parts that were read one after another; the figures are those of the last one. */
    static PlacementStatus of(final List<StatusPart> parts) {
        final List<NodeFill> nodes = new ArrayList<>();
        final List<JobFill> jobs = new ArrayList<>();
        final Map<String, Long> users = new TreeMap<>();
        for (final StatusPart part : parts) {
            nodes.addAll(part.nodes());
            jobs.addAll(part.jobs());
        }
        for (final JobFill job : jobs) {
            if (!job.user().isEmpty()) {
                users.merge(job.user(), job.bytes(), Long::sum);
            }
        }
        return new PlacementStatus(parts.get(parts.size() - 1).service(), nodes, jobs, users);
    }

    /** The part that a request asks for. */
    public StatusPart part(final StatusRequest request) {
        final List<NodeFill> restOfNodes =
                nodes.stream()
                        .filter(n -> n.identity().name().compareTo(request.afterNode()) > 0)
                        .toList();
        final List<JobFill> restOfJobs =
                jobs.stream().filter(job -> job.id().compareTo(request.afterJob()) > 0).toList();
        return new StatusPart(
                service,
                restOfNodes.stream().limit(StatusPart.MAX_NODES).toList(),
                restOfJobs.stream().limit(StatusPart.MAX_JOBS).toList(),
                restOfNodes.size() > StatusPart.MAX_NODES
                        || restOfJobs.size() > StatusPart.MAX_JOBS);
    }

    /** The capacity of all nodes, in bytes. */
    public long capacity() {
        return nodes.stream().mapToLong(node -> node.space().capacity()).sum();
    }

    /** Bytes in use on all nodes. */
    public long used() {
        return nodes.stream().mapToLong(node -> node.space().used()).sum();
    }

    /** Bytes leased on all nodes, and not reported as committed. */
    public long leased() {
        return nodes.stream().mapToLong(NodeFill::leased).sum();
    }

    /** Outputs held by all nodes, each copy once. */
    public long outputs() {
        return nodes.stream().mapToLong(NodeFill::outputs).sum();
    }
}
