// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.TierName;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reducer reads by itself what its own node serves, and behaves as over any transport. */
class OwnHostTest extends TransportConformance {
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);

    private long ownEpoch;
    private boolean readsTier = true;

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        final Node started = new OfferingNode(source, jobSecrets);
        if (source == segments) {
            ownEpoch = started.epoch();
        }
        return started;
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return new ChoosingTransport(
                new TcpTransport(settings::get),
                List.of(),
                Optional.of(new Here(segments)),
                settings::get);
    }

    /** A host whose files are the node's, or others. */
    private final class Here implements OwnHost {
        private final SegmentSource outputs;

        Here(final SegmentSource outputs) {
            this.outputs = outputs;
        }

        @Override
        public boolean isNode(final long epoch) {
            return epoch == ownEpoch;
        }

        @Override
        public SegmentSource outputs() {
            return outputs;
        }

        @Override
        public boolean reads(final TierName tier) {
            return readsTier;
        }

        @Override
        public void close() {}
    }

    private String report(final Transport reading) {
        final TaskReport report = new TaskReport();
        reading.noteIn(report);
        return report.toJson();
    }

    /** It reads memory: there is nothing to read ahead. */
    @Test
    @Override
    protected void aClientCanForbidToReadAheadForIt() throws Exception {
        segments.cache();
        assertThat(fetch(open(), SEGMENT, 0, 1000).reply().length()).isEqualTo(1000);
        assertThat(segments.askedForCached()).isZero();
    }

    @Test
    void readsWithoutTheNode() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        assertThat(fetch(open(), SEGMENT, 0, expected.length).bytes()).isEqualTo(expected);
        assertThat(report(transport()))
                .contains("\"transport_bytes\":{\"own-host\":300000,\"tcp\":0}")
                .contains("\"transport_nodes\":{\"own-host\":1}");
    }

    @Test
    void asksTheNodeForWhatIsNotToBeReadHere() throws Exception {
        readsTier = false;
        assertThat(fetch(open(), SEGMENT, 0, 1000).reply().length()).isEqualTo(1000);
        assertThat(fetch(open(), SEGMENT, 1000, 1000).reply().length()).isEqualTo(1000);
        assertThat(report(transport()))
                .contains("\"transport_bytes\":{\"own-host\":0,\"tcp\":2000}");
    }

    /** A folder that was deleted, a file of another user, a namespace of mounts. */
    @Test
    void asksTheNodeForWhatCannotBeReadHere(@TempDir final Path other) throws Exception {
        try (TestSegments empty = new TestSegments(other);
                Transport reading =
                        new ChoosingTransport(
                                new TcpTransport(name -> null),
                                List.of(),
                                Optional.of(new Here(empty)),
                                name -> null)) {
            final Channel channel = reading.open(node().address(), credentials());
            assertThat(fetch(channel, SEGMENT, 0, 300_000).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
            assertThat(fetch(channel, new SegmentId(attempt(9), 0), 0, 10).failure().reason())
                    .as("what the node says of an output that nobody has")
                    .isEqualTo(Reason.NOT_FOUND);
            assertThat(report(reading))
                    .contains("\"transport_bytes\":{\"own-host\":0,\"tcp\":300000}");
        }
    }

    /** Its bytes would have gone the same way; whoever measures a transport asks for it. */
    @Test
    void readsNothingWhereATransportIsAskedFor() throws Exception {
        try (Transport tcp =
                newTransport(Map.of(TransportKeys.TRANSPORT.name(), TcpTransport.NAME))) {
            final Channel channel = tcp.open(node().address(), credentials());
            assertThat(fetch(channel, SEGMENT, 0, 300_000).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
            assertThat(report(tcp)).contains("\"transport_bytes\":{\"tcp\":300000}");
        }
    }

    @Test
    void readsNothingOfAnotherNode() throws Exception {
        ownEpoch++;
        assertThat(fetch(open(), SEGMENT, 0, 300_000).bytes()).isEqualTo(segments.bytes(SEGMENT));
        assertThat(report(transport()))
                .contains("\"transport_bytes\":{\"own-host\":0,\"tcp\":300000}");
    }
}
