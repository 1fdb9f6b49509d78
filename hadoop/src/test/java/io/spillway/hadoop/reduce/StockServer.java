// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.spillway.engine.TestSegment;
import io.spillway.transport.NodeAddress;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.SecretKey;
import javax.net.ssl.SSLContext;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;

/** A shuffle server that speaks stock's protocol, as {@code ShuffleHandler} does. */
final class StockServer implements AutoCloseable {
    final Map<String, TestSegment> segments = new ConcurrentHashMap<>();

    /** By what name its clients asked. */
    final Set<String> userAgents = ConcurrentHashMap.newKeySet();

    /** The requests that were answered with 500. */
    final AtomicInteger failed = new AtomicInteger();

    /** The next requests are refused with 429. */
    final AtomicInteger refusals = new AtomicInteger();

    /** Requests are answered with 500, as those for outputs of which there is no single file. */
    volatile boolean hasNoFiles;

    /** The next segments are cut off after their header. */
    final AtomicInteger cuts = new AtomicInteger();

    /** Segments stop in their middle, and their connections stay open. */
    volatile boolean stalls;

    /** What replies say as the reducer's number. */
    volatile int partition = ReduceFixture.PARTITION;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SecretKey secret;

    StockServer(final SecretKey secret) throws IOException {
        this(secret, HttpServer.create());
    }

    /** A server of HTTPS. */
    static StockServer withTls(final SecretKey secret, final SSLContext tls) throws IOException {
        final HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return new StockServer(secret, server);
    }

    private StockServer(final SecretKey secret, final HttpServer server) throws IOException {
        this.secret = secret;
        this.server = server;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/mapOutput", this::serve);
        server.start();
    }

    NodeAddress address() {
        return new NodeAddress("127.0.0.1", server.getAddress().getPort());
    }

    private void serve(final HttpExchange exchange) throws IOException {
        userAgents.add(exchange.getRequestHeaders().getFirst("User-Agent"));
        try (exchange) {
            if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                exchange.getResponseHeaders().set("Retry-After", "30");
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            if (hasNoFiles) {
                failed.incrementAndGet();
                exchange.sendResponseHeaders(500, -1);
                return;
            }
            final String hash =
                    exchange.getRequestHeaders().getFirst(SecureShuffleUtils.HTTP_HEADER_URL_HASH);
            final URL url = new URL("http://" + address() + exchange.getRequestURI());
            SecureShuffleUtils.verifyReply(hash, SecureShuffleUtils.buildMsgFrom(url), secret);
            exchange.getResponseHeaders()
                    .set(
                            SecureShuffleUtils.HTTP_HEADER_REPLY_URL_HASH,
                            SecureShuffleUtils.hashFromString(hash, secret));
            exchange.getResponseHeaders().set("name", "mapreduce");
            exchange.getResponseHeaders().set("version", "1.0.0");
            exchange.sendResponseHeaders(200, 0);
            send(exchange, query(exchange.getRequestURI().getQuery()));
        }
    }

    private static Map<String, String> query(final String text) {
        final Map<String, String> query = new HashMap<>();
        for (final String field : List.of(text.split("&"))) {
            final int at = field.indexOf('=');
            query.put(field.substring(0, at), field.substring(at + 1));
        }
        return query;
    }

    private void send(final HttpExchange exchange, final Map<String, String> query)
            throws IOException {
        final DataOutputStream out = new DataOutputStream(exchange.getResponseBody());
        for (final String attempt : List.of(query.get("map").split(","))) {
            final TestSegment segment = segments.get(attempt);
            new ShuffleHeader(attempt, segment.bytes().length, segment.rawLength(), partition)
                    .write(out);
            if (cuts.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                out.write(segment.bytes(), 0, segment.bytes().length / 2);
                return;
            }
            if (stalls) {
                out.write(segment.bytes(), 0, segment.bytes().length / 2);
                out.flush();
                awaitClose();
                return;
            }
            out.write(segment.bytes());
        }
    }

    private void awaitClose() {
        try {
            closed.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
