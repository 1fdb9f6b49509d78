// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static io.spillway.hadoop.handler.ShuffleServiceFixture.ATTEMPT;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.conf;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.credentials;
import static io.spillway.transport.FetchRecorder.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.hadoop.TestTlsConf;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.host.TestKeyStore;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.tcp.ClientTls;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A shuffle port with {@code mapreduce.shuffle.ssl.enabled}, and clients that have it or not. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class TlsPortTest {
    private static final String BOTH_VALUES =
            "mapreduce.shuffle.ssl.enabled=%s on this node, but %s in the job of this connection";

    private static TestKeyStore key;
    private static TestKeyStore elsewhere;

    @TempDir private Path localDir;

    @BeforeAll
    static void makeKeys(@TempDir final Path directory) throws Exception {
        key = TestKeyStore.make(directory.resolve("keys"), "ip:127.0.0.1");
        elsewhere = TestKeyStore.make(directory.resolve("elsewhere"), "dns:elsewhere");
    }

    private static Configuration tls(final TestKeyStore own, final TestKeyStore trusted) {
        final Configuration conf = conf();
        TestTlsConf.set(conf, own, trusted);
        return conf;
    }

    private ShuffleServiceFixture start(final ShuffleHandler handler, final Configuration conf)
            throws IOException {
        final ShuffleServiceFixture service = new ShuffleServiceFixture(handler, conf, localDir);
        service.initializeApplication();
        return service;
    }

    private static TcpTransport transport(final Configuration conf) throws IOException {
        return new TcpTransport(new Lookup(conf), ShuffleTls.of(conf).map(ClientTls.class::cast));
    }

    private static FetchException failureOfOpen(
            final ShuffleServiceFixture service, final Configuration conf) {
        return catchThrowableOfType(
                FetchException.class,
                () -> {
                    try (TcpTransport transport = transport(conf)) {
                        transport.open(service.address(), credentials()).close();
                    }
                });
    }

    private static void assertServes(final ShuffleServiceFixture service, final Configuration conf)
            throws Exception {
        try (TcpTransport transport = transport(conf);
                Channel channel = transport.open(service.address(), credentials())) {
            for (int partition = 0; partition < 3; partition++) {
                final SegmentId segment = new SegmentId(ATTEMPT, partition);
                assertThat(fetch(channel, segment, 0, 300_000).bytes())
                        .isEqualTo(service.segment(partition));
                assertThat(service.fetchOverHttp(partition)).isEqualTo(service.segment(partition));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"authentication", "privacy"})
    void servesBothProtocolsInsideTls(final String protection) throws Exception {
        final Configuration conf = tls(key, key);
        conf.set("spillway.protection", protection);
        try (LoggedLines log = new LoggedLines("io.spillway.hadoop.handler");
                ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf)) {
            assertServes(service, conf);
            assertThat(log.messages())
                    .anyMatch(line -> line.endsWith("beside stock HTTPS, inside TLS"));
        }
    }

    @Test
    void theBytesOfHttpsAreCounted() throws Exception {
        final Configuration conf = tls(key, key);
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf)) {
            assertThat(service.fetchOverHttp(1)).hasSize(200_000);
            HandlerMetricsTest.await(
                    () ->
                            PublishedMetrics.of(service.metricsSource())
                                    .value("TransportBytesTotal", Map.of("transport", "http")),
                    200_000);
        }
    }

    @Test
    void aHandlerOfHttpsAloneIsStocks() throws Exception {
        final Configuration conf = tls(key, key);
        conf.setBoolean("spillway.handler.enabled", false);
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf)) {
            assertThat(failureOfOpen(service, conf).reason()).isEqualTo(Reason.NOT_SPILLWAY);
            assertThat(service.fetchOverHttp(1)).isEqualTo(service.segment(1));
        }
    }

    @Test
    void aNodeThatTheJobDoesNotTrustIsRefused() throws Exception {
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), tls(key, key))) {
            final FetchException failure = failureOfOpen(service, tls(key, elsewhere));
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure).hasMessageContaining("ssl.client.truststore.location");
            assertServes(service, tls(key, key));
        }
    }

    @Test
    void theCertificateHasToNameTheHost() throws Exception {
        final Configuration conf = tls(elsewhere, elsewhere);
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf)) {
            final FetchException failure = failureOfOpen(service, conf);
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure).hasMessageContaining("hadoop.ssl.hostname.verifier");
            conf.set("hadoop.ssl.hostname.verifier", "ALLOW_ALL");
            assertServes(service, conf);
        }
    }

    @Test
    void aJobWithoutTlsLearnsWhatToChange() throws Exception {
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), tls(key, key))) {
            final FetchException failure = failureOfOpen(service, conf());
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure).hasMessageContaining(BOTH_VALUES, true, false);
            final HttpURLConnection stock = http(service.address());
            assertThat(stock.getResponseCode()).isEqualTo(400);
            assertThat(stock.getResponseMessage())
                    .contains(String.format(BOTH_VALUES, true, false));
        }
    }

    private static HttpURLConnection http(final NodeAddress address) throws IOException {
        return (HttpURLConnection)
                URI.create("http://" + address + "/mapOutput").toURL().openConnection();
    }

    @Test
    void aJobWithTlsLearnsThatTheNodeHasNone() throws Exception {
        try (LoggedLines log = new LoggedLines("io.spillway.hadoop.handler");
                ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf())) {
            final FetchException failure = failureOfOpen(service, tls(key, key));
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure)
                    .hasMessageContaining(
                            "mapreduce.shuffle.ssl.enabled=true in this job, but false on the"
                                    + " node");
            assertThat(log.messages())
                    .anyMatch(line -> line.contains(String.format(BOTH_VALUES, false, true)));
            assertServes(service, conf());
        }
    }

    /** The beginning of TLS, of Spillway and of HTTP, cut off; and what is none of them. */
    @Test
    void nonsenseHarmsNobodyElse() throws Exception {
        final Configuration conf = tls(key, key);
        try (ShuffleServiceFixture service = start(new SpillwayShuffleHandler(), conf)) {
            send(service.address(), new byte[] {22, 3});
            send(service.address(), new byte[] {22, 3, 3, 0, 4, 1, 2, 3, 4});
            send(service.address(), new byte[300]);
            send(service.address(), "SPWY".getBytes(StandardCharsets.US_ASCII));
            send(service.address(), "GET /map".getBytes(StandardCharsets.US_ASCII));
            assertServes(service, conf);
        }
    }

    /** And waits until the node has closed the connection. */
    private static void send(final NodeAddress address, final byte[] bytes) throws IOException {
        try (Socket socket = new Socket(address.host(), address.port())) {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }
    }

    @Test
    void aTrustStoreThatCannotBeReadIsNamed() {
        final Configuration conf = tls(key, new TestKeyStore(localDir.resolve("nowhere")));
        assertThatThrownBy(() -> ShuffleTls.of(conf))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "mapreduce.shuffle.ssl.enabled=true, but TLS cannot be set up")
                .hasMessageContaining("ssl-client.xml")
                .hasMessageContaining(localDir.resolve("nowhere").toString());
    }
}
