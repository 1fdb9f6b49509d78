// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.node.metrics.PrometheusText;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the status on a port of loopback: {@code /} for people, {@code /metrics} for Prometheus,
 * {@code /status.json} for programs and for the script of the first. Only processes of this
 * process's user and of root see jobs and folders; the numbers of {@code /metrics} are for all of
 * the host, as an agent of Prometheus has a user of its own. Thread-safe.
 */
final class StatusPage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPage.class);
    private static final int THREADS = 2;
    private static final String METRICS = "/metrics";

    private static final String OTHER_USER =
            "for the node process's user and root only; others have " + METRICS + "\n";

    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";

    /** What a browser may do with the page: run its script, which asks for the status. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
                case "/" -> send(exchange, OK, HTML, resource("status.html"));
                case "/status.js" -> send(exchange, OK, SCRIPT, resource("status.js"));
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
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(code, -1);
            return;
        }
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String resource(final String name) throws IOException {
        try (InputStream in = StatusPage.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
