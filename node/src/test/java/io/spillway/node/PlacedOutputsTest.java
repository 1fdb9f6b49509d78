// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.node.prefetch.BlockPool;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Map outputs of which this host has no more than the names of the nodes that hold them. */
class PlacedOutputsTest {
    private static final String JOB = TestOutputs.JOB;
    private static final SegmentPlace FIRST = place("memory1", 7001, 11);
    private static final SegmentPlace SECOND = place("memory2", 7002, 12);

    @TempDir private Path localDir;

    private final BlockPool memory = new BlockPool(100_000, 1000);
    private TestOutputs outputs;

    private static SegmentPlace place(final String host, final int port, final long epoch) {
        return new SegmentPlace(new NodeAddress(host, port), epoch);
    }

    private static SegmentId segment(final int map, final int partition) {
        return new SegmentId(TestOutputs.attempt(map), partition);
    }

    @AfterEach
    void close() {
        outputs.close();
    }

    private LocalSegmentSource start(final Map<String, String> settings) {
        outputs = new TestOutputs(localDir, memory, settings);
        return outputs.source();
    }

    private LocalSegmentSource start() {
        return start(Map.of());
    }

    private Path placeFile(final int map) {
        return outputs.directory(map).resolve(MapOutputPlaces.FILE);
    }

    /** As a map does: an empty file for stock's Task, then the places. */
    private void write(final int map, final SegmentPlace... places) throws IOException {
        Files.createDirectories(outputs.directory(map));
        Files.write(outputs.data(map), new byte[0]);
        try (OutputStream out = Files.newOutputStream(placeFile(map))) {
            new MapOutputPlaces(List.of(places)).writeTo(out);
        }
    }

    private FetchException failure(final String jobId, final SegmentId segment) {
        return catchThrowableOfType(
                FetchException.class, () -> outputs.source().open(jobId, segment));
    }

    @Test
    void everySegmentIsAtAllPlaces() throws IOException {
        final LocalSegmentSource source = start();
        write(0, FIRST, SECOND);
        write(1, SECOND);
        for (final int partition : new int[] {0, 1, 1999}) {
            assertThat(source.open(JOB, segment(0, partition)))
                    .isEqualTo(new SegmentPlaces(List.of(FIRST, SECOND)));
            assertThat(source.open(JOB, segment(1, partition))).isEqualTo(SegmentPlaces.of(SECOND));
        }
    }

    @Test
    void theFileIsReadOnce() throws IOException {
        final LocalSegmentSource source = start();
        assertThat(failure(JOB, segment(0, 0)).reason()).isEqualTo(Reason.NOT_FOUND);
        write(0, FIRST);
        assertThat(source.openIfCached(JOB, segment(0, 0))).isNull();
        assertThat(source.open(JOB, segment(0, 0))).isEqualTo(SegmentPlaces.of(FIRST));
        Files.delete(placeFile(0));
        assertThat(source.openIfCached(JOB, segment(0, 5))).isEqualTo(SegmentPlaces.of(FIRST));
        assertThat(source.open(JOB, segment(0, 6))).isEqualTo(SegmentPlaces.of(FIRST));
    }

    /** An index says that the output is here. */
    @Test
    void anOutputThatIsHereIsServedFromHere() throws IOException {
        start();
        outputs.write(0, 900, 900);
        try (OutputStream out = Files.newOutputStream(placeFile(0))) {
            new MapOutputPlaces(List.of(FIRST)).writeTo(out);
        }
        outputs.fetch(0, 1, 0, 900);
    }

    /** How many there are those nodes know. */
    @Test
    void everyRunIsAtAllPlaces() throws IOException {
        final LocalSegmentSource source = start();
        write(0, FIRST, SECOND);
        for (final int run : new int[] {3, 0, 1}) {
            assertThat(source.open(JOB, new SegmentId(TestOutputs.attempt(0), 1, run)))
                    .isEqualTo(new SegmentPlaces(List.of(FIRST, SECOND)));
            Files.deleteIfExists(placeFile(0)); // read once for all runs
        }
    }

    @Test
    void garbageIsRefusedByTheNameOfTheFileAndNotRemembered() throws IOException {
        final LocalSegmentSource source = start();
        write(0, FIRST, SECOND);
        final byte[] whole = Files.readAllBytes(placeFile(0));
        final byte[] flipped = whole.clone();
        flipped[20] ^= 4;
        final byte[] tooLong = new byte[MapOutputPlaces.MAX_LENGTH + 1];
        for (final byte[] garbage : List.of(new byte[0], new byte[] {1, 2, 3}, flipped, tooLong)) {
            Files.write(placeFile(0), garbage);
            final FetchException failure = failure(JOB, segment(0, 0));
            assertThat(failure.reason()).isEqualTo(Reason.SOURCE_FAILED);
            assertThat(failure)
                    .hasMessageContaining(placeFile(0).toString())
                    .hasMessageContaining("expected");
        }
        assertThat(source.indexCount()).isZero();
        Files.write(placeFile(0), whole);
        assertThat(source.open(JOB, segment(0, 0)))
                .isEqualTo(new SegmentPlaces(List.of(FIRST, SECOND)));
    }

    /** It could lead to a file of another user. */
    @Test
    void aLinkIsNotFollowed() throws IOException {
        start();
        write(0, FIRST);
        final Path moved = Files.move(placeFile(0), localDir.resolve("moved"));
        Files.createSymbolicLink(placeFile(0), moved);
        assertThat(failure(JOB, segment(0, 0)).reason()).isEqualTo(Reason.SOURCE_FAILED);
    }

    @Test
    void noOtherJobLearnsThePlace() throws IOException {
        final LocalSegmentSource source = start();
        write(0, FIRST);
        source.open(JOB, segment(0, 0));
        final String other = "job_1700000000000_0002";
        outputs.users().put(other, "bob");
        assertThat(failure(other, segment(0, 0)).reason()).isEqualTo(Reason.UNAUTHORIZED);
        assertThatThrownBy(() -> source.openIfCached(other, segment(0, 0)))
                .hasMessageContaining("expected a map output of " + other);
    }

    @Test
    void theEndOfTheJobIsTheEndOfItsPlaces() throws IOException {
        final LocalSegmentSource source = start();
        write(0, FIRST);
        source.open(JOB, segment(0, 0));
        assertThat(source.indexCount()).isOne();
        outputs.endJob();
        assertThat(source.indexCount()).isZero();
        assertThat(failure(JOB, segment(0, 0)).reason()).isEqualTo(Reason.UNKNOWN_JOB);
    }

    @Test
    void noMoreAreRememberedThanThereIsMemoryFor() throws IOException {
        final LocalSegmentSource source = start(Map.of("spillway.node.index.bytes", "64k"));
        for (int map = 0; map < 300; map++) {
            write(map, FIRST);
            assertThat(source.open(JOB, segment(map, 0))).isEqualTo(SegmentPlaces.of(FIRST));
        }
        assertThat(source.indexCount()).isBetween(50, 100);
    }

    /** There is nothing to read; what is on disk is read ahead as ever. */
    @Test
    void readingAheadPassesThemOver() throws IOException {
        final LocalSegmentSource source = start();
        for (int map = 0; map < 5; map++) {
            write(map, FIRST);
        }
        outputs.write(5, 900, 900);
        outputs.write(6, 900, 900);
        assertThat(source.open(JOB, segment(0, 0))).isEqualTo(SegmentPlaces.of(FIRST));
        outputs.fetch(5, 1, 0, 900);
        source.taskEnded(JOB);
        outputs.awaitIdle();
        assertThat(source.prefetcher().fileCount()).isEqualTo(2);
        assertThat(source.indexCount()).isEqualTo(3);
        assertThat(outputs.fetch(6, 1, 0, 900)).isTrue();
    }
}
