// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.EncryptedSegments;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of encrypted map outputs: the merge receives plain content from every source. */
@Timeout(60)
class EncryptedStreamsTest {
    private static final int LOST = 1;

    @TempDir Path localDir;

    private LostStreams merge;

    @BeforeEach
    void begin() throws IOException {
        merge = new LostStreams(2, localDir);
        merge.task.cipher = cipher((byte) 1);
        merge.begin();
    }

    @AfterEach
    void close() {
        merge.close();
    }

    private static EncryptedSegments cipher(final byte key) throws IOException {
        final byte[] bytes = new byte[16];
        bytes[0] = key;
        return new EncryptedSegments(new Configuration(false), bytes, "; by another key?");
    }

    private long failovers() {
        return merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS);
    }

    @Test
    void areDecryptedWindowByWindow() throws IOException {
        merge.requireRest();
    }

    /** The same records with another IV, so that the stored bytes of the two attempts differ. */
    @Test
    void goOnInTheMiddleWithAnotherAttemptOfOtherBytes() throws IOException {
        merge.take(LOST, 3);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(300);

        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    @Test
    void areNotReplacedByAnAttemptOfOtherRecords() throws IOException {
        merge.take(LOST, 3);
        merge.lose(LOST, Reason.DISCONNECTED);
        final TestSegment other = merge.segments.get(0).encrypted(null, merge.task.cipher);
        merge.shuffle.succeeded(LostStreams.second(LOST), TaskFixture.node(9), other);
        merge.shuffle.pass(300);

        assertThat(failovers()).isZero();
        merge.bringBack(LOST);
        merge.shuffle.pass(20_000);
        merge.requireRest();
    }
}
