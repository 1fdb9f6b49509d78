// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static io.spillway.hadoop.handler.ShuffleServiceFixture.ATTEMPT;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.JOB;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.credentials;
import static io.spillway.transport.FetchRecorder.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.node.Transports;
import io.spillway.node.control.StatusClient;
import io.spillway.node.process.NodeProcess;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The handler and a node process: what reducers are offered, and where it leads. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class NodeProcessLinkTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final TcpTransport transport =
            new TcpTransport(Map.of("spillway.shuffle.connect.timeout.ms", "60000")::get);

    @TempDir private Path folder;

    @AfterEach
    void close() {
        transport.close();
    }

    private Path socket() {
        return folder.resolve("run/node.sock");
    }

    private Path localDir() {
        return folder.resolve("local");
    }

    private Configuration conf() {
        final Configuration conf = ShuffleServiceFixture.conf();
        conf.set("spillway.node.socket", socket().toString());
        conf.set("spillway.node.host", "127.0.0.1");
        conf.set("spillway.node.http.port", "none");
        conf.set("spillway.node.transports", "tcp");
        conf.set("spillway.store.memory.dir", "none");
        return conf;
    }

    private ShuffleServiceFixture startHandler(final Configuration conf) throws IOException {
        final SpillwayShuffleHandler handler = new SpillwayShuffleHandler();
        return new ShuffleServiceFixture(handler, conf, localDir());
    }

    private NodeProcess startNode() throws IOException {
        return NodeProcess.start(Transports.all(), conf()::getTrimmed, false);
    }

    private List<TransportOffer> offers(final ShuffleServiceFixture service) {
        try (Channel channel = transport.open(service.address(), credentials())) {
            return channel.offers();
        } catch (final IOException e) {
            throw new AssertionError("the handler does not serve tcp", e);
        }
    }

    private static void await(final String what, final BooleanSupplier condition)
            throws InterruptedException {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(what).isLessThan(PATIENCE_NANOS);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void awaitOffers(final ShuffleServiceFixture service) throws InterruptedException {
        await("offers", () -> !offers(service).isEmpty());
    }

    private void assertServesWhatItOffers(final ShuffleServiceFixture service) throws Exception {
        final List<TransportOffer> offers = offers(service);
        assertThat(offers).extracting(TransportOffer::transport).containsExactly("tcp");
        assertThat(offers.get(0).address()).isNotEqualTo(service.address());
        try (Channel channel = transport.open(offers.get(0).address(), credentials())) {
            assertThat(fetch(channel, new SegmentId(ATTEMPT, 1), 0, 300_000).bytes())
                    .isEqualTo(service.segment(1));
        }
    }

    @Test
    void reducersAreOfferedTheProcessWhileItRuns() throws Exception {
        try (ShuffleServiceFixture service = startHandler(conf())) {
            service.initializeApplication();
            assertThat(offers(service)).isEmpty();
            try (NodeProcess node = startNode()) {
                awaitOffers(service);
                assertServesWhatItOffers(service);
                assertThat(node).isNotNull();
            }
            await("no offers", () -> offers(service).isEmpty());
            assertThat(service.fetchOverHttp(1)).isEqualTo(service.segment(1));
        }
    }

    @Test
    void theProcessLearnsOfJobsThatComeAndEnd() throws Exception {
        try (NodeProcess node = startNode();
                ShuffleServiceFixture service = startHandler(conf())) {
            await("the handler", () -> status().contains("\"connected\":true"));
            assertThat(status()).contains("\"jobs\":[]");
            service.initializeApplication();
            await("the job", () -> status().contains("\"jobs\":[\"" + JOB + "\"]"));
            awaitOffers(service);
            assertServesWhatItOffers(service);
            final TransportOffer offer = offers(service).get(0);
            service.stopApplication();
            await("its end", () -> status().contains("\"jobs\":[]"));
            assertThat(refusal(offer)).isEqualTo(FetchException.Reason.UNKNOWN_JOB);
            assertThat(node).isNotNull();
        }
    }

    private FetchException.Reason refusal(final TransportOffer offer) {
        try (Channel channel = transport.open(offer.address(), credentials())) {
            throw new AssertionError(channel.address() + " serves a job that has ended");
        } catch (final FetchException e) {
            return e.reason();
        }
    }

    private String status() {
        try {
            return StatusClient.ask(socket());
        } catch (final IOException e) {
            return "";
        }
    }

    @Test
    void theProcessLearnsOfJobsThatWereRecovered() throws Exception {
        final org.apache.hadoop.fs.Path store =
                new org.apache.hadoop.fs.Path(
                        Files.createDirectory(folder.resolve("recovery")).toString());
        final SpillwayShuffleHandler before = new SpillwayShuffleHandler();
        before.setRecoveryPath(store);
        try (ShuffleServiceFixture service =
                new ShuffleServiceFixture(before, conf(), localDir())) {
            service.initializeApplication();
        }
        final SpillwayShuffleHandler after = new SpillwayShuffleHandler();
        after.setRecoveryPath(store);
        try (NodeProcess node = startNode();
                ShuffleServiceFixture service =
                        new ShuffleServiceFixture(after, conf(), localDir())) {
            awaitOffers(service);
            assertServesWhatItOffers(service);
            assertThat(node).isNotNull();
        }
    }

    /** With spillway.node.launch: a child of this JVM, killed once. */
    @Test
    void theHandlerStartsTheProcessAgainAndStopsItWithItself() throws Exception {
        final Configuration conf = conf();
        conf.set("spillway.node.launch", "true");
        conf.set("spillway.node.log", folder.resolve("node.log").toString());
        conf.set("spillway.node.heap", "64m");
        final long last;
        try (ShuffleServiceFixture service = startHandler(conf)) {
            service.initializeApplication();
            awaitOffers(service);
            assertServesWhatItOffers(service);
            final long first = pid();
            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            await("no offers", () -> offers(service).isEmpty());
            assertThat(service.fetchOverHttp(1)).isEqualTo(service.segment(1));
            awaitOffers(service);
            assertServesWhatItOffers(service);
            last = pid();
            assertThat(last).isNotEqualTo(first);
        }
        assertThat(ProcessHandle.of(last).filter(ProcessHandle::isAlive)).isEmpty();
    }

    private long pid() {
        final Matcher pid = Pattern.compile("\"pid\":(\\d+)").matcher(status());
        assertThat(pid.find()).isTrue();
        return Long.parseLong(pid.group(1));
    }

    @Test
    void aWrongSettingCostsTheLinkOnly() throws Exception {
        final Configuration conf = conf();
        conf.set("spillway.node.launch", "perhaps");
        try (ShuffleServiceFixture service = startHandler(conf)) {
            service.initializeApplication();
            assertThat(offers(service)).isEmpty();
            assertThat(service.fetchOverHttp(1)).isEqualTo(service.segment(1));
        }
    }
}
