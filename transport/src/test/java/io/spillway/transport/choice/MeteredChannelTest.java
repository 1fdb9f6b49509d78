// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.FetchReply;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class MeteredChannelTest {
    private static final NodeAddress NODE = new NodeAddress("node1", 13562);
    private static final SegmentId SEGMENT = new SegmentId("attempt", 0);

    private final List<String> verdicts = new ArrayList<>();

    /** Fails every fetch, on the caller's thread; or throws, where that is wanted. */
    private static final class Broken implements Channel {
        private boolean throwsErrors;

        @Override
        public NodeAddress address() {
            return NODE;
        }

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            if (throwsErrors) {
                throw new OutOfMemoryError("thrown by a test's channel");
            }
            listener.onFailed(destination, new FetchException(Reason.LOCAL, "failed in a test"));
        }

        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public void close() {}
    }

    private final Broken broken = new Broken();

    private MeteredChannel channel(final MeteredChannel.Judge judge) {
        return new MeteredChannel(broken, NODE, 1, List.of(), new LongAdder(), judge);
    }

    @Test
    void answersForAFetchWhoseLossCannotBeJudged() throws Exception {
        final MeteredChannel channel =
                channel(
                        new MeteredChannel.Judge() {
                            @Override
                            public void lost(final String why) {
                                throw new OutOfMemoryError("thrown by a test's judge");
                            }

                            @Override
                            public void failed(final String why) {
                                throw new OutOfMemoryError("thrown by a test's judge");
                            }
                        });
        final Failures listener = new Failures();
        assertThatThrownBy(() -> channel.fetch(SEGMENT, 0, ByteBuffer.allocate(10), listener))
                .hasMessageContaining("judge");
        assertThat(listener.failures).containsExactly(Reason.LOCAL);
        // The next one is not judged again.
        assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, 10).failure().reason())
                .isEqualTo(Reason.LOCAL);
    }

    private static final class Failures implements FetchListener {
        private final List<Reason> failures = new ArrayList<>();

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            throw new AssertionError("fetched " + reply);
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            onFailed(
                    destination,
                    new FetchException(FetchException.Reason.NOT_FOUND, "it is at " + places));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            failures.add(cause.reason());
        }
    }

    /** A fetch that was never taken is none that the channel owes an answer for. */
    @Test
    void doesNotCountFetchesThatThrow() {
        broken.throwsErrors = true;
        final MeteredChannel channel =
                channel(
                        new MeteredChannel.Judge() {
                            @Override
                            public void lost(final String why) {
                                verdicts.add(why);
                            }

                            @Override
                            public void failed(final String why) {
                                verdicts.add(why);
                            }
                        });
        assertThatThrownBy(() -> FetchRecorder.fetch(channel, SEGMENT, 0, 10))
                .hasMessageContaining("channel");
        channel.close();
        assertThat(verdicts).isEmpty();
    }
}
