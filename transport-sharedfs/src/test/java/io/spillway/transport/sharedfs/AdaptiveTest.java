// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.sharedfs.SharedTransport.Use;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each piece goes the way that takes less. */
final class AdaptiveTest extends SharedConformance {
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);

    @Override
    Use use() {
        return Use.WHERE_FASTER;
    }

    @Test
    void bothWaysAreUsed() throws Exception {
        try (Channel channel = open()) {
            for (int i = 0; i < 200; i++) {
                assertThat(fetch(channel, SEGMENT, 0, 1000).bytes()).hasSize(1000);
            }
        }
        assertThat(read.sum()).isBetween(1000L, 199_000L);
        assertThat(directory.opens()).isOne();
    }

    /** A node whose host has lost its mount. */
    @Test
    void whatTheNodeCannotGiveIsRead(@TempDir final Path folder) throws Exception {
        final SegmentId segment = new SegmentId(attempt(77), 0);
        try (TestSegments seenHere = new TestSegments(folder);
                Channel channel = open()) {
            seenHere.add(77, 5000);
            directory.has(seenHere);
            for (int i = 0; i < 20; i++) {
                assertThat(fetch(channel, segment, 0, 1000).bytes())
                        .isEqualTo(Arrays.copyOf(seenHere.bytes(segment), 1000));
            }
            directory.fail(true);
            assertThat(fetch(channel, segment, 0, 10).failure().reason())
                    .isEqualTo(Reason.NOT_FOUND);
        }
    }
}
