// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TestSegments;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.ServerInternals;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** kill -9 of either end in mid-transfer, over shared memory and sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class UcxProcessIT {
    private static final long PATIENCE_MILLIS = 30_000;
    private static final int IN_FLIGHT = 8;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    private static Map<String, String> settings(final String tls) {
        return Map.of("spillway.ucx.tls", tls, "spillway.shuffle.read.timeout.ms", "5000");
    }

    private static JobCredentials credentials() {
        return new JobCredentials(TestSegments.JOB, UcxChild.SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "tcp", "posix,sysv,cma,self"})
    void failsWhatIsInFlightWhenTheNodeIsKilled(final String tls) throws Exception {
        final Map<String, String> settings = settings(tls);
        for (int round = 0; round < 3; round++) {
            killNode(settings, round);
        }
    }

    /**
     * Each time with a new worker, for over shared memory the old one may hear no peer any more.
     */
    private static void killNode(final Map<String, String> settings, final int round)
            throws Exception {
        try (UcxChild node = UcxChild.node(List.of(), "127.0.0.1", settings);
                UcxTransport transport = new UcxTransport(settings::get)) {
            final NodeAddress address = new NodeAddress("127.0.0.1", node.awaitPort());
            final Channel channel = transport.open(address, credentials());
            final List<FetchRecorder> fetches = new ArrayList<>();
            for (int i = 0; i < IN_FLIGHT; i++) {
                fetches.add(fetch(channel, i % 2 == 0));
            }
            assertThat(fetches.get(0).bytes()).hasSize(UcxChild.PIECE);
            for (int i = 0; i < 200; i++) {
                fetches.add(fetch(channel, (i + round) % 2 == 0));
            }
            node.kill();
            final FetchRecorder last = fetches.get(fetches.size() - 1);
            assertThat(last.failure().reason())
                    .isIn(FetchException.Reason.DISCONNECTED, FetchException.Reason.TIMED_OUT);
            for (final FetchRecorder fetch : fetches) {
                awaitEnd(fetch);
                assertThat(fetch.calls()).isOne();
            }
            assertThat(channel.isOpen()).isFalse();
        }
    }

    private static FetchRecorder fetch(final Channel channel, final boolean direct) {
        final ByteBuffer destination =
                direct
                        ? ByteBuffer.allocateDirect(UcxChild.PIECE)
                        : ByteBuffer.allocate(UcxChild.PIECE);
        return FetchRecorder.fetch(channel, UcxChild.SEGMENT, 0, destination);
    }

    private static void awaitEnd(final FetchRecorder fetch) throws InterruptedException {
        final long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (fetch.calls() == 0) {
            if (System.currentTimeMillis() > deadline) {
                fail("a fetch is still in flight");
            }
            Thread.sleep(20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "tcp", "posix,sysv,cma,self"})
    void givesAllMemoryBackWhenReducersAreKilled(final String tls, @TempDir final Path folder)
            throws Exception {
        final Map<String, String> settings = settings(tls);
        try (TestSegments segments = new TestSegments(folder);
                UcxSegmentServer server =
                        new UcxSegmentServer(
                                "127.0.0.1",
                                0,
                                segments,
                                job -> UcxChild.SECRET,
                                settings::get,
                                1)) {
            segments.add(3, UcxChild.SEGMENT_BYTES);
            for (int round = 0; round < 3; round++) {
                try (UcxChild reducer = UcxChild.reducer(List.of(), server.address(), settings)) {
                    reducer.await("FETCHED");
                    reducer.kill();
                }
                awaitRest(server);
            }
            assertThat(segments.openSegments()).isZero();
            try (UcxTransport transport = new UcxTransport(settings::get);
                    Channel channel = transport.open(server.address(), credentials())) {
                assertThat(fetch(channel, false).bytes()).hasSize(UcxChild.PIECE);
            }
        }
    }

    private static void awaitRest(final UcxSegmentServer server) throws Exception {
        final long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (server.stats().connections() > 0 || usedBytes(server) > 0) {
            if (System.currentTimeMillis() > deadline) {
                fail(
                        "connections=%d bytes=%d links=%d",
                        server.stats().connections(),
                        usedBytes(server),
                        ServerInternals.threadOf(server).endingLinks());
            }
            Thread.sleep(50);
        }
    }

    private static long usedBytes(final UcxSegmentServer server) throws Exception {
        final CompletableFuture<Long> used = new CompletableFuture<>();
        ServerInternals.threadOf(server)
                .execute(
                        () ->
                                used.complete(
                                        ServerInternals.threadOf(server).buffers().usedBytes()));
        return used.get(10, TimeUnit.SECONDS);
    }
}
