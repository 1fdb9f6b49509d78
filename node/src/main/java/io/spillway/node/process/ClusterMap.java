// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.process.HtmlTables.Figure;
import io.spillway.node.process.HtmlTables.Share;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.NodeFill.State;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.ServiceFigures;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Shows all nodes of a cluster with their fill, its jobs and users. Used by one thread. */
final class ClusterMap {
    /** More nodes of a kind are squares without words. */
    private static final int MOST_TILES = 60;

    private static final int MOST_JOBS = 200;
    private static final double MILLI = 1e3;

    private static final String KEY =
            "<div class=\"key\"><span class=\"f0\"><i></i>below 50 %</span><span class=\"f1\"><i>"
                    + "</i>from 50 %</span><span class=\"f2\"><i></i>from 75 %</span><span"
                    + " class=\"f3\"><i></i>from 90 %</span><span class=\"full\"><i></i>full: gets"
                    + " no more</span><span class=\"late\"><i></i>does not report</span><span"
                    + " class=\"none\"><i></i>gives no memory</span><span>hatched: leased</span>"
                    + "</div>";

    private final HtmlTables page;
    private final PlacementStatus status;
    private final ServiceFigures service;

    private ClusterMap(final HtmlTables page, final PlacementStatus status) {
        this.page = page;
        this.status = status;
        this.service = status.service();
    }

    /** Adds it to a page. */
    static void add(final HtmlTables page, final PlacementStatus status) {
        final ClusterMap map = new ClusterMap(page, status);
        map.totals();
        map.tiles("Memory nodes", node -> node.space().memoryOnly());
        map.tiles(
                "Hosts that run tasks and give memory",
                node -> !node.space().memoryOnly() && node.space().capacity() > 0);
        map.tiles(
                "Hosts that give none",
                node -> !node.space().memoryOnly() && node.space().capacity() == 0);
        page.html(KEY);
        map.nodes();
        map.jobs();
        map.users();
    }

    // ---- totals --------------------------------------------------------------------------------

    private void totals() {
        page.title("Cluster");
        if (!service.settled()) {
            page.line(
                    "The placement service has started only now: it may not know all nodes and"
                            + " jobs yet.");
        }
        final long taken = status.used() + status.leased();
        final long dedicated = status.nodes().stream().filter(n -> n.space().memoryOnly()).count();
        page.html(
                "<div class=\"cards\">"
                        + card(
                                HtmlTables.percent(taken, status.capacity()),
                                HtmlTables.bytes(taken)
                                        + " of "
                                        + HtmlTables.bytes(status.capacity()))
                        + card(count(status.nodes().size()), "nodes, " + dedicated + " only store")
                        + card(count(status.outputs()), "map outputs held")
                        + card(count(status.jobs().size()), "jobs")
                        + card(count(service.leases()), "leases, " + bytes(status.leased()))
                        + card(count(service.granted()), "places given since the start")
                        + card(count(service.refusedInAll()), "not given: " + causes())
                        + quota("a job may take", service.jobLimit())
                        + quota("a user may take", service.userLimit())
                        + "</div>");
    }

    private static String count(final long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String bytes(final long bytes) {
        return HtmlTables.bytes(bytes);
    }

    private static String card(final String figure, final String words) {
        return "<div class=\"card\"><b>"
                + HtmlTables.escape(figure)
                + "</b><span>"
                + HtmlTables.escape(words)
                + "</span></div>";
    }

    private static String quota(final String words, final long limit) {
        return limit == ServiceFigures.UNLIMITED ? "" : card(bytes(limit), words);
    }

    private String causes() {
        final String causes =
                service.refused().entrySet().stream()
                        .filter(cause -> cause.getValue() > 0)
                        .sorted(Map.Entry.comparingByKey())
                        .map(cause -> cause.getValue() + " " + words(cause.getKey()))
                        .collect(Collectors.joining(", "));
        return causes.isEmpty() ? "none" : causes;
    }

    private static String words(final LeaseRefusal cause) {
        return switch (cause) {
            case NO_ROOM -> "for want of room";
            case JOB_QUOTA -> "by a job's quota";
            case USER_QUOTA -> "by a user's quota";
            case LEASES -> "for too many leases of a job";
            case UNKNOWN_JOB -> "to unknown jobs";
        };
    }

    // ---- nodes ---------------------------------------------------------------------------------

    private void tiles(final String title, final Predicate<NodeFill> kind) {
        final List<NodeFill> nodes = status.nodes().stream().filter(kind).toList();
        if (nodes.isEmpty()) {
            return;
        }
        page.title(title + " (" + nodes.size() + ")");
        final boolean isDense = nodes.size() > MOST_TILES;
        page.html("<div class=\"map" + (isDense ? " dense" : "") + "\">");
        nodes.forEach(node -> page.html(isDense ? square(node) : tile(node)));
        page.html("</div>");
    }

    private String shade(final NodeFill node) {
        final State state = node.state(service);
        return state == State.OK
                ? HtmlTables.shadeOf(node.taken(), node.space().capacity())
                : state.toString();
    }

    private String square(final NodeFill node) {
        return "<div class=\"tile "
                + shade(node)
                + "\" title=\""
                + HtmlTables.escape(
                        name(node) + ": " + fill(node) + ", " + more(node) + ", " + heard(node))
                + "\"></div>";
    }

    private String tile(final NodeFill node) {
        return "<div class=\"tile "
                + shade(node)
                + "\" title=\""
                + HtmlTables.escape(node.identity().toString())
                + "\"><em>"
                + HtmlTables.escape(heard(node))
                + "</em><b>"
                + HtmlTables.escape(name(node))
                + "</b>"
                + HtmlTables.bar(shade(node), share(node))
                + "<span>"
                + HtmlTables.escape(fill(node))
                + "</span><span>"
                + HtmlTables.escape(more(node))
                + "</span></div>";
    }

    private static String name(final NodeFill node) {
        return node.identity().address().toString();
    }

    private static Share share(final NodeFill node) {
        return new Share(node.space().used(), node.leased(), node.space().capacity());
    }

    private static String fill(final NodeFill node) {
        final long capacity = node.space().capacity();
        return capacity == 0
                ? "gives no memory"
                : HtmlTables.percent(node.taken(), capacity)
                        + " · "
                        + bytes(node.space().used())
                        + " held of "
                        + bytes(capacity);
    }

    private static String more(final NodeFill node) {
        final String leased = node.leased() == 0 ? "" : bytes(node.leased()) + " leased · ";
        return leased + files(node.space()) + count(node.outputs()) + " outputs";
    }

    /** What lies in files behind the memory. */
    private static String files(final NodeSpace space) {
        return space.overflowCapacity() == 0 && space.overflowUsed() == 0
                ? ""
                : bytes(space.overflowUsed())
                        + " in files of "
                        + bytes(space.overflowCapacity())
                        + " · ";
    }

    private String heard(final NodeFill node) {
        final String age = String.format(Locale.ROOT, "%.1f s ago", node.silentMillis() / MILLI);
        return node.state(service) == State.LATE ? "last heard " + age : age;
    }

    private void nodes() {
        page.folded(
                "nodes",
                "All nodes as a table",
                List.of(
                        "node", "address", "epoch", "kind", "state", "fill", "held", "leased",
                        "outputs", "heard"),
                status.nodes().stream().map(this::row).toList());
    }

    private List<Object> row(final NodeFill node) {
        return List.of(
                node.identity().name(),
                node.identity().address(),
                node.identity().epoch(),
                node.space().memoryOnly() ? "only stores" : "runs tasks",
                node.state(service),
                share(node),
                Figure.ofBytes(node.space().used()),
                Figure.ofBytes(node.leased()),
                Figure.of(node.outputs()),
                new Figure(heard(node)));
    }

    // ---- jobs ----------------------------------------------------------------------------------

    private void jobs() {
        final List<JobFill> largest =
                status.jobs().stream()
                        .sorted(Comparator.comparingLong(JobFill::bytes).reversed())
                        .limit(MOST_JOBS)
                        .toList();
        page.table(
                "Jobs in memory nodes",
                List.of(
                        "job",
                        "user",
                        service.jobLimit() == ServiceFigures.UNLIMITED
                                ? "of all memory"
                                : "of its quota",
                        "bytes",
                        "outputs",
                        "not placed by quota"),
                largest.stream().map(this::row).toList());
        if (status.jobs().size() > largest.size()) {
            page.line("and " + (status.jobs().size() - largest.size()) + " smaller ones");
        }
    }

    private List<Object> row(final JobFill job) {
        return List.of(
                job.id(),
                job.user().isEmpty() ? "?" : job.user(),
                new Share(job.bytes(), Math.min(service.jobLimit(), status.capacity())),
                Figure.ofBytes(job.bytes()),
                Figure.of(job.outputs()),
                Figure.of(job.refused()));
    }

    private void users() {
        final long limit = Math.min(service.userLimit(), status.capacity());
        page.table(
                "Users",
                List.of("user", limit == status.capacity() ? "of all memory" : "of its quota", ""),
                status.bytesByUser().entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(MOST_JOBS)
                        .map(
                                user ->
                                        List.<Object>of(
                                                user.getKey(),
                                                new Share(user.getValue(), limit),
                                                Figure.ofBytes(user.getValue())))
                        .toList());
    }
}
