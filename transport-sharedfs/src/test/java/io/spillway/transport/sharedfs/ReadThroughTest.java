// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.TestSegments;
import io.spillway.transport.sharedfs.SharedTransport.Use;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Everything that lies in the directory is read there. */
final class ReadThroughTest extends SharedConformance {
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);

    @Override
    Use use() {
        return Use.ALWAYS;
    }

    @Test
    void eachOutputIsOpenedOnce() throws Exception {
        final int maps = 200;
        for (int map = 100; map < 100 + maps; map++) {
            segments.add(map, 10_000);
        }
        try (Channel channel = open()) {
            final List<FetchRecorder> fetches = new ArrayList<>();
            for (int offset = 0; offset < 10_000; offset += 2500) {
                for (int map = 100; map < 100 + maps; map++) {
                    fetches.add(fetch(channel, new SegmentId(attempt(map), 0), offset, 2500));
                }
            }
            for (final FetchRecorder fetch : fetches) {
                assertThat(fetch.bytes()).hasSize(2500);
            }
        }
        assertThat(directory.opens()).isLessThanOrEqualTo(maps * 12 / 10);
        assertThat(read.sum()).isEqualTo(10_000L * maps);
        final TaskReport report = new TaskReport();
        transport().noteIn(report);
        assertThat(report.get(ShuffleCounter.FETCH_SHAREDFS_BYTES)).isEqualTo(10_000L * maps);
        assertThat(report.toJson())
                .contains("\"sharedfs\":{\"switches\":0,\"probes\":0,\"opens\":" + maps);
    }

    @Test
    void whatFailsToBeReadComesFromTheNode() throws Exception {
        directory.fail(true);
        try (Channel channel = open()) {
            for (int i = 0; i < 5; i++) {
                assertThat(fetch(channel, SEGMENT, 0, 1000).bytes())
                        .isEqualTo(Arrays.copyOf(segments.bytes(SEGMENT), 1000));
            }
        }
        assertThat(read.sum()).isZero();
        assertThat(directory.opens()).isEqualTo(2);
    }

    @Test
    void anOutputOfAnotherTierIsLookedForOnce() throws Exception {
        segments.moveTo(5, new SegmentPlace(node().address(), 1));
        try (Channel channel = open()) {
            for (int i = 0; i < 5; i++) {
                assertThat(fetch(channel, new SegmentId(attempt(5), 0), 0, 10).places())
                        .isNotNull();
            }
        }
        assertThat(directory.opens()).isOne();
    }

    // ---- the node is gone ----------------------------------------------------------------------

    @Test
    void readsTheOutputsOfANodeThatIsGone() throws Exception {
        final String host = node().address().host();
        final SharedTransport transport = (SharedTransport) transport();
        node().close();
        final SegmentPlace place = transport.placeOf(TestSegments.JOB, host, attempt(3));
        assertThat(place).isNotNull();
        assertThat(SegmentPlace.class).isEqualTo(place.getClass());
        assertThat(transport.placeOf(TestSegments.JOB, host, attempt(4))).isNull();
        try (Channel channel = transport.open(place.address(), credentials())) {
            final byte[] expected = segments.bytes(SEGMENT);
            final FetchRecorder whole = fetch(channel, SEGMENT, 0, expected.length);
            assertThat(whole.bytes()).isEqualTo(expected);
            assertThat(whole.reply()).isEqualTo(segments.reply(SEGMENT, 0, expected.length));
            assertThat(fetch(channel, new SegmentId(attempt(4), 0), 0, 10).failure())
                    .hasMessageContaining("cannot be reached")
                    .extracting(FetchException::reason)
                    .isEqualTo(Reason.NOT_FOUND);
            assertThat(channel.isOpen()).isTrue();
            directory.fail(true);
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.SOURCE_FAILED);
        }
    }
}
