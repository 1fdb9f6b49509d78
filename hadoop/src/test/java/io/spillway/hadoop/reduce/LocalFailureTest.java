// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An attempt whose own process fails, on whichever of its threads, fails soon and says why. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LocalFailureTest {
    private static final int MAPS = 6;

    @TempDir Path directory;

    private final MemoryTransport transport = new MemoryTransport(1);

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture fixture() throws IOException {
        final ReduceFixture fixture = new ReduceFixture(MAPS, directory);
        serve(fixture, MAPS);
        return fixture;
    }

    private void serve(final ReduceFixture fixture, final int maps) throws IOException {
        for (int i = 0; i < maps; i++) {
            transport.put(
                    ReduceFixture.node(i % 2),
                    ReduceFixture.map(i, 0).toString(),
                    TestSegment.random(new Random(i), 200, 100, null));
            fixture.succeeded(ReduceFixture.map(i, 0), ReduceFixture.node(i % 2));
        }
    }

    @Test
    void failsWhenThisSideOfAConnectionFailsAndBlamesNoMap() throws Exception {
        final ReduceFixture fixture = fixture();
        transport.script((node, segment, offset) -> Reason.LOCAL);
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("scripted");
        assertThat(fixture.reported()).isEmpty();
    }

    @Test
    void failsWhenThisSideCannotOpenAConnectionAndBlamesNoMap() throws Exception {
        final ReduceFixture fixture = fixture();
        transport.refuse(ReduceFixture.node(0), Reason.LOCAL);
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("scripted for node0");
        assertThat(fixture.reported()).isEmpty();
    }

    private static void requireFailure(final ReduceFixture fixture, final Transport transport) {
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("error in shuffle in spillway-")
                .hasStackTraceContaining("thrown by a test");
    }

    @Test
    void failsWhenAFetchCannotBegin() throws Exception {
        final ReduceFixture fixture = fixture();
        requireFailure(fixture, new FailingTransport(transport, false));
    }

    @Test
    void failsWhenOpeningThrowsAnError() throws Exception {
        final ReduceFixture fixture = fixture();
        requireFailure(fixture, new FailingTransport(transport, true));
    }

    @Test
    void failsWhenThePollerOfEventsThrowsAnError() throws Exception {
        final ReduceFixture fixture = fixture();
        fixture.umbilical.failPolls(new OutOfMemoryError("thrown by a test's MRAppMaster"));
        requireFailure(fixture, transport);
    }

    /** The shuffle's secret fails on the thread of the request only. */
    @Test
    void failsWhenARequestOverHttpThrowsAnError() throws Exception {
        final ReduceFixture fixture = fixture();
        transport.refuse(ReduceFixture.node(1), Reason.NOT_SPILLWAY);
        fixture.task.setShuffleSecret(new FailingSecret());
        requireFailure(fixture, transport);
    }

    /** The combiner fails in the merging thread. */
    @Test
    void failsWhenTheMergingThreadThrowsAnError() throws Exception {
        final ReduceFixture fixture = new ReduceFixture(MAPS, directory).withHadoopsReporter();
        fixture.conf.setCombinerClass(FailingCombiner.class);
        fixture.set(EngineKeys.SHUFFLE_COMBINE.name(), "true");
        fixture.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "2");
        // The last map never ends: only the failure can end the copy phase.
        serve(fixture, MAPS - 1);
        requireFailure(fixture, transport);
    }

    /** Fails every merge. */
    public static final class FailingCombiner extends MapReduceBase
            implements Reducer<Text, Text, Text, Text> {
        @Override
        public void reduce(
                final Text key,
                final Iterator<Text> values,
                final OutputCollector<Text, Text> output,
                final Reporter reporter) {
            throw new OutOfMemoryError("thrown by a test's combiner");
        }
    }

    /** Fails on threads of stock's HTTP only. */
    private static final class FailingSecret implements SecretKey {
        private static final long serialVersionUID = 1L;

        @Override
        public String getAlgorithm() {
            return ReduceFixture.SECRET.getAlgorithm();
        }

        @Override
        public String getFormat() {
            return ReduceFixture.SECRET.getFormat();
        }

        @Override
        public byte[] getEncoded() {
            if (Thread.currentThread().getName().startsWith("spillway-http")) {
                throw new OutOfMemoryError("thrown by a test's secret");
            }
            return ReduceFixture.SECRET.getEncoded();
        }
    }

    /** Throws Errors where nodes are opened, or fetched from. */
    private record FailingTransport(Transport transport, boolean opening) implements Transport {
        @Override
        public String name() {
            return transport.name();
        }

        @Override
        public Channel open(final NodeAddress address, final JobCredentials credentials)
                throws FetchException {
            if (opening) {
                throw new OutOfMemoryError("thrown by a test's transport");
            }
            return new FailingChannel(transport.open(address, credentials));
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private record FailingChannel(Channel channel) implements Channel {
        @Override
        public NodeAddress address() {
            return channel.address();
        }

        @Override
        public long epoch() {
            return channel.epoch();
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            throw new OutOfMemoryError("thrown by a test's channel");
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
