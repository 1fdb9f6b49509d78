// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.node.LocalSegmentSource;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptFailuresTest {
    private final List<Throwable> asked = new ArrayList<>();
    private final EmbeddedChannel listener = new EmbeddedChannel();

    private void accept(final ActiveChannels channels) {
        channels.add(new EmbeddedChannel(listener, DefaultChannelId.newInstance(), true, false));
    }

    @Test
    void theChannelThatAcceptsIsWatchedOnceAConnectionIsThere() {
        try (LocalSegmentSource nothing =
                        new LocalSegmentSource(
                                new MapReduceLayout(),
                                AcceptFailuresTest::locate,
                                List.of(),
                                job -> null,
                                name -> null);
                StreamServer server =
                        new StreamServer(
                                nothing,
                                job -> null,
                                ServerSettings.from(name -> null),
                                1,
                                List::of)) {
            requireWatched(
                    new ActiveChannels(
                            new DefaultChannelGroup(GlobalEventExecutor.INSTANCE),
                            server,
                            new HttpTraffic(),
                            failure -> asked.add(failure) && failure instanceof IOException));
        }
    }

    private static File locate(final String path) throws FileNotFoundException {
        throw new FileNotFoundException(path);
    }

    private void requireWatched(final ActiveChannels channels) {
        accept(channels);
        accept(channels);
        final IOException shortage = new IOException("accept(..) failed: Too many open files");
        listener.pipeline().fireExceptionCaught(shortage);
        listener.checkException();
        assertThat(asked).containsExactly(shortage);

        listener.pipeline().fireExceptionCaught(new IllegalStateException("another"));
        assertThatThrownBy(listener::checkException).hasMessage("another");
    }
}
