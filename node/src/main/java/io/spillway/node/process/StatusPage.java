// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.node.member.MemberStatus;
import io.spillway.node.metrics.PrometheusText;
import io.spillway.node.process.HtmlTables.Figure;
import io.spillway.node.process.HtmlTables.Share;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the status on a port of loopback: {@code /} for people, {@code /metrics} for Prometheus,
 * {@code /status.json} for programs. Only processes of this process's user and of root see jobs and
 * folders; the numbers of {@code /metrics} are for all of the host, as an agent of Prometheus has a
 * user of its own. Thread-safe.
 */
final class StatusPage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPage.class);
    private static final int THREADS = 2;
    private static final String METRICS = "/metrics";

    private static final String OTHER_USER =
            "for the node process's user and root only; others have " + METRICS + "\n";

    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;

    private final HttpServer server;
    private final ExecutorService threads;

    private StatusPage(final HttpServer server, final ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Listens.
     *
     * @param port 0 for any free one
     */
    static StatusPage start(final int port, final Supplier<NodeStatus> status) throws IOException {
        final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        final ExecutorService threads =
                Executors.newFixedThreadPool(THREADS, DaemonThreads.numbered("spillway-status"));
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, status));
        server.start();
        return new StatusPage(server, threads);
    }

    /** Where it is, for a browser. */
    String address() {
        return "http://"
                + server.getAddress().getAddress().getHostAddress()
                + ":"
                + server.getAddress().getPort();
    }

    private static void answer(final HttpExchange exchange, final Supplier<NodeStatus> status)
            throws IOException {
        try (exchange) {
            if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                send(exchange, NOT_ALLOWED, "text/plain", "GET only\n");
                return;
            }
            final String path = exchange.getRequestURI().getPath();
            if (!StatusVisitor.namesLoopback(exchange)) {
                send(exchange, FORBIDDEN, "text/plain", "ask for 127.0.0.1 or localhost\n");
                return;
            }
            if (!path.equals(METRICS) && !StatusVisitor.isOwn(exchange)) {
                send(exchange, FORBIDDEN, "text/plain", OTHER_USER);
                return;
            }
            switch (path) {
                case "/" -> send(exchange, OK, "text/html; charset=utf-8", html(status.get()));
                case METRICS ->
                        send(
                                exchange,
                                OK,
                                PrometheusText.TYPE,
                                PrometheusText.of(status.get().figures()));
                case "/status.json" ->
                        send(exchange, OK, "application/json", status.get().toJson());
                default ->
                        send(
                                exchange,
                                NOT_FOUND,
                                "text/plain",
                                "there are /, /metrics and /status.json\n");
            }
        } catch (final RuntimeException e) {
            LOG.warn("The status page failed", e);
        }
    }

    private static void send(
            final HttpExchange exchange, final int code, final String type, final String text)
            throws IOException {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", PageHead.POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(code, -1);
            return;
        }
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String html(final NodeStatus status) {
        final HtmlTables page = new HtmlTables("Spillway node process " + status.pid());
        page.line("Epoch " + status.epoch() + ", started " + status.started());
        status.member()
                .flatMap(MemberStatus::cluster)
                .ifPresent(cluster -> ClusterMap.add(page, cluster));
        page.table(
                "Transports",
                List.of("transport", "address", "connections", "requests", "failures", "bytes"),
                status.transports().stream()
                        .map(
                                t ->
                                        List.<Object>of(
                                                t.name(),
                                                t.address(),
                                                Figure.of(t.stats().connections()),
                                                Figure.of(t.stats().requests()),
                                                Figure.of(t.stats().failures()),
                                                Figure.ofBytes(t.stats().bytes())))
                        .toList());
        page.table(
                "Not served",
                List.of("transport", "why"),
                status.notServed().entrySet().stream()
                        .map(
                                (Map.Entry<String, String> e) ->
                                        List.<Object>of(e.getKey(), e.getValue()))
                        .toList());
        page.table(
                "NodeManagers",
                List.of("name", "shuffle port", "handler connected", "jobs"),
                status.managers().stream()
                        .map(
                                m ->
                                        List.<Object>of(
                                                m.name(),
                                                m.shuffle(),
                                                m.connected(),
                                                String.join(" ", m.jobs())))
                        .toList());
        page.table(
                "Stores",
                List.of("NodeManager", "tier", "folder", "used bytes", "free bytes"),
                status.managers().stream()
                        .flatMap(
                                m ->
                                        m.stores().stream()
                                                .map(
                                                        s ->
                                                                List.<Object>of(
                                                                        m.name(),
                                                                        s.tier(),
                                                                        s.folder(),
                                                                        NodeStatus.usedBytes(s),
                                                                        NodeStatus.freeBytes(s))))
                        .toList());
        status.member().ifPresent(member -> addMember(page, member));
        final var cache = status.cache();
        page.line(
                String.format(
                        Locale.ROOT,
                        "Read ahead: %d of %d pieces from memory, %d bytes in memory",
                        cache.hits(),
                        cache.hits() + cache.misses(),
                        cache.currentBytes()));
        return page.render();
    }

    private static void addMember(final HtmlTables page, final MemberStatus member) {
        page.table(
                "Member of a cluster",
                List.of(
                        "placement service",
                        "has answered",
                        "memory",
                        "outputs",
                        "pieces put",
                        "bytes put",
                        "refused",
                        "jobs known"),
                List.of(
                        List.<Object>of(
                                member.service(),
                                member.answered() ? "yes" : "no",
                                new Share(member.space().used(), member.space().capacity()),
                                Figure.of(member.outputs()),
                                Figure.of(member.puts().pieces()),
                                Figure.ofBytes(member.puts().bytes()),
                                Figure.of(member.puts().refusedInAll()),
                                Figure.of(member.jobs()))));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
