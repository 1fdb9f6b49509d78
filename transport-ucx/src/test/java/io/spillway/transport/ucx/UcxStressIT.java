// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.TestSegments;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Some hundred megabytes in pieces of every size, each compared by its checksum. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class UcxStressIT {
    private static final long BYTES = 300L << 20;
    private static final int MAPS = 4;
    private static final int MAP_BYTES = 8 << 20;
    private static final int CHANNELS = 3;
    private static final int FETCHES_A_CHANNEL = 12;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,sysv,cma,self", "auto"})
    void bringsEveryByte(final String tls, @TempDir final Path folder) throws Exception {
        final Map<String, String> settings =
                Map.of("spillway.ucx.tls", tls, "spillway.ucx.buffer.bytes", "32m");
        final List<byte[]> outputs = new ArrayList<>();
        try (TestSegments segments = new TestSegments(folder);
                UcxSegmentServer server =
                        new UcxSegmentServer(
                                "127.0.0.1",
                                0,
                                segments,
                                job -> UcxChild.SECRET,
                                settings::get,
                                1);
                UcxTransport transport = new UcxTransport(settings::get)) {
            for (int map = 0; map < MAPS; map++) {
                segments.add(map, MAP_BYTES);
                outputs.add(segments.bytes(new SegmentId(TestSegments.attempt(map), 0)));
            }
            segments.cache();
            final List<Puller> pullers = new ArrayList<>();
            for (int i = 0; i < CHANNELS * FETCHES_A_CHANNEL; i++) {
                final Channel channel =
                        i % FETCHES_A_CHANNEL == 0
                                ? transport.open(
                                        server.address(),
                                        new JobCredentials(TestSegments.JOB, UcxChild.SECRET))
                                : pullers.get(i - 1).channel;
                pullers.add(new Puller(channel, outputs, i));
            }
            pullers.forEach(Puller::next);
            for (final Puller puller : pullers) {
                assertThat(puller.done.get(150, TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    /** Fetches one piece after the other, until its share is here. Used by one thread at a time. */
    private static final class Puller implements FetchListener {
        private final Channel channel;
        private final List<byte[]> outputs;
        private final Random random;
        private final ByteBuffer memory;
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        private long left = BYTES / (CHANNELS * FETCHES_A_CHANNEL);
        private int map;
        private int offset;
        private int length;

        Puller(final Channel channel, final List<byte[]> outputs, final int number) {
            this.channel = channel;
            this.outputs = outputs;
            this.random = new Random(number);
            this.memory =
                    number % 2 == 0
                            ? ByteBuffer.allocate(2 << 20)
                            : ByteBuffer.allocateDirect(2 << 20);
        }

        void next() {
            map = random.nextInt(outputs.size());
            offset = random.nextInt(MAP_BYTES);
            final int wanted = 1 + random.nextInt(1 << (1 + random.nextInt(21)));
            length = Math.min(wanted, MAP_BYTES - offset);
            memory.clear().limit(wanted);
            channel.fetch(new SegmentId(TestSegments.attempt(map), 0), offset, memory, this);
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            final CRC32C expected = new CRC32C();
            expected.update(outputs.get(map), offset, length);
            final CRC32C actual = new CRC32C();
            actual.update(destination.flip());
            if (reply.length() != length || actual.getValue() != expected.getValue()) {
                done.completeExceptionally(
                        new AssertionError("map=" + map + " offset=" + offset + ": " + reply));
                return;
            }
            left -= length;
            if (left <= 0) {
                done.complete(1L);
            } else {
                next();
            }
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            onFailed(
                    destination,
                    new FetchException(FetchException.Reason.NOT_FOUND, "it is at " + places));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            done.completeExceptionally(cause);
        }
    }
}
