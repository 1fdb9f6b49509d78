// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.seal.Protection;
import io.spillway.thread.DaemonThreads;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.Nonce;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.TreeMap;

/**
 * Answers as a ResourceManager, and as two NodeManagers with Spillway's handler: what those of a
 * real cluster of Hadoop 3.5.0 have answered, but for what a test changes. Each NodeManager has a
 * port of its own.
 */
public final class FakeCluster implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int OK = 200;

    /** One NodeManager; a test may change the answers, or take one away. */
    public static final class Manager implements AutoCloseable {
        private final HttpServer web;
        private final ServerSocket shuffle;
        private final Map<String, JsonNode> answers = new TreeMap<>();
        private volatile byte[] challenge = challenge();
        private volatile Path restarted = Path.of("/no/such/file");

        Manager() throws IOException {
            web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            web.createContext("/", exchange -> FakeCluster.answer(exchange, answer(exchange)));
            web.start();
            shuffle = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
            DaemonThreads.of("fake-shuffle", this::serve).start();
            answers.put("conf", recorded("conf"));
            answers.put("runtime", recorded("runtime"));
            answers.put("spillway", recorded("spillway"));
            set("mapreduce.shuffle.port", String.valueOf(shuffle.getLocalPort()));
        }

        private JsonNode answer(final HttpExchange exchange) {
            final String uri = exchange.getRequestURI().toString();
            if (uri.contains("Runtime") && Files.exists(restarted)) {
                bean("runtime").put("StartTime", Long.MAX_VALUE);
            }
            return answers.get(
                    uri.startsWith("/conf")
                            ? "conf"
                            : uri.contains("Runtime") ? "runtime" : "spillway");
        }

        private static byte[] challenge() {
            final ByteBuffer out = ByteBuffer.allocate(FrameType.MAX_FRAME_LENGTH);
            new ChallengeFrame(
                            1,
                            Nonce.random(new SecureRandom()),
                            Protection.PRIVACY,
                            FrameType.VERSIONS)
                    .encode(out, FrameType.V13);
            final byte[] bytes = new byte[out.flip().remaining()];
            out.get(bytes);
            return bytes;
        }

        private void serve() {
            while (!shuffle.isClosed()) {
                try (Socket socket = shuffle.accept()) {
                    if (socket.getInputStream().read() >= 0) {
                        socket.getOutputStream().write(challenge);
                    }
                } catch (final IOException e) {
                    if (shuffle.isClosed()) {
                        return;
                    }
                }
            }
        }

        public Manager set(final String property, final String value) {
            final ArrayNode properties = (ArrayNode) answers.get("conf").path("properties");
            for (final JsonNode known : properties) {
                if (known.path("key").asText().equals(property)) {
                    ((ObjectNode) known).put("value", value);
                    return this;
                }
            }
            properties.addObject().put("key", property).put("value", value);
            return this;
        }

        Manager classPath(final String classPath) {
            bean("runtime").put("ClassPath", classPath);
            return this;
        }

        /** Its start time changes once the file exists. */
        public Manager restartsWith(final Path file) {
            restarted = file;
            return this;
        }

        public Manager withoutMetrics() {
            ((ArrayNode) answers.get("spillway").path("beans")).removeAll();
            return this;
        }

        Manager withoutTiers() {
            bean("spillway").retain("name");
            return this;
        }

        Manager silent() {
            answers.clear();
            return this;
        }

        Manager shuffleSays(final String text) {
            challenge = text.getBytes(StandardCharsets.US_ASCII);
            return this;
        }

        Manager withoutShuffle() throws IOException {
            shuffle.close();
            return this;
        }

        private ObjectNode bean(final String answer) {
            return (ObjectNode) answers.get(answer).path("beans").path(0);
        }

        @Override
        public void close() throws IOException {
            web.stop(0);
            shuffle.close();
        }
    }

    private final HttpServer web;
    private final ObjectNode nodes;
    public final Manager first = new Manager();
    public final Manager second = new Manager();

    public FakeCluster() throws IOException {
        nodes = (ObjectNode) recorded("nodes");
        node(0).put("nodeHTTPAddress", address(first));
        node(1).put("nodeHTTPAddress", address(second));
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/ws/v1/cluster/nodes", exchange -> answer(exchange, nodes));
        web.start();
    }

    private static String address(final Manager manager) {
        return "localhost:" + manager.web.getAddress().getPort();
    }

    /** A node in the ResourceManager's answer. */
    public ObjectNode node(final int index) {
        return (ObjectNode) nodes.path("nodes").path("node").path(index);
    }

    public URI address() {
        return URI.create("http://localhost:" + web.getAddress().getPort());
    }

    private static JsonNode recorded(final String name) {
        try (InputStream in = FakeCluster.class.getResourceAsStream(name + ".json")) {
            return MAPPER.readTree(in);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(final HttpExchange exchange, final JsonNode answer)
            throws IOException {
        final byte[] body = answer == null ? new byte[0] : MAPPER.writeValueAsBytes(answer);
        exchange.sendResponseHeaders(
                answer == null ? 403 : OK, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() throws IOException {
        web.stop(0);
        first.close();
        second.close();
    }
}
