// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.PendingFetch;
import io.spillway.seal.Protection;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.wire.FrameType;
import io.spillway.wire.WelcomeFrame;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientConnectionTest {
    private static final NodeAddress ADDRESS = new NodeAddress("node", 1);

    private final List<Reason> failures = new ArrayList<>();

    /** Fails a write before it returns, as a channel does that was closed a moment ago. */
    private static final class ClosedPath extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(
                final ChannelHandlerContext context,
                final Object message,
                final ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            promise.setFailure(new ClosedChannelException());
        }
    }

    private PendingFetch fetch(final int partition) {
        return new PendingFetch(
                new SegmentId("attempt_1_0001_m_000000_0", partition, 0),
                0,
                ByteBuffer.allocate(8),
                new FetchListener() {
                    @Override
                    public void onFetched(final ByteBuffer buffer, final FetchReply reply) {
                        throw new AssertionError("no answer was sent");
                    }

                    @Override
                    public void onElsewhere(final ByteBuffer buffer, final SegmentPlaces places) {
                        onFailed(
                                buffer,
                                new FetchException(
                                        FetchException.Reason.NOT_FOUND, "it is at " + places));
                    }

                    @Override
                    public void onFailed(final ByteBuffer buffer, final FetchException cause) {
                        failures.add(cause.reason());
                    }
                });
    }

    @Test
    void aWriteThatFailsAtOnceEndsTheConnectionAndIsNoFaultOfThisSide() {
        final ClientConnection connection =
                new ClientConnection(
                        ADDRESS,
                        1,
                        FrameType.V13,
                        WelcomeFrame.unproved(1 << 20, 16, 0, 0, "tcp"),
                        Optional.empty(),
                        new ClientSettings(
                                1000,
                                1000,
                                16,
                                false,
                                FrameType.VERSIONS,
                                Protection.AUTHENTICATION));
        assertThat(new EmbeddedChannel(new ClosedPath(), connection).isActive()).isTrue();
        connection.add(fetch(0));
        connection.add(fetch(1));

        connection.flush();

        assertThat(failures).containsExactly(Reason.DISCONNECTED, Reason.DISCONNECTED);
        assertThat(connection.isOpen()).isFalse();
    }
}
