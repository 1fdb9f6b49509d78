// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server of this process; what stands before the command is nothing but another command. */
class HostWebTest {
    private final HostWeb web = new HostWeb(() -> List.of("env"), Map.of());
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/ws",
                exchange -> {
                    final String wanted = exchange.getRequestURI().toString();
                    final int code =
                            wanted.contains("lost") ? 404 : wanted.contains("bad") ? 500 : 200;
                    final byte[] body =
                            (wanted + "\r\n\r\n\0\u00fc").getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(code, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private URI resource(final String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    @Test
    void givesTheBodyByteByByte() throws IOException {
        assertThat(new String(web.get(resource("/ws/jobs?type=m&x=%20")), StandardCharsets.UTF_8))
                .isEqualTo("/ws/jobs?type=m&x=%20\r\n\r\n\0\u00fc");
    }

    @Test
    void tellsWhatIsNotThereFromWhatFails() {
        assertThatThrownBy(() -> web.get(resource("/ws/lost")))
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> web.get(resource("/ws/bad"))).hasMessageContaining("HTTP 500");
        final URI nobody = resource("/ws");
        server.stop(0);
        assertThatThrownBy(() -> web.get(nobody))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no answer of HTTP");
    }
}
