// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.Channel;
import io.spillway.transport.SegmentId;
import io.spillway.transport.sharedfs.SharedTransport.Use;
import org.junit.jupiter.api.Test;

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
}
