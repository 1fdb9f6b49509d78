// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.ifile.IndexEntry;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FailingMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes have after a map has written to them, against what a local file gets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteSinkTest {
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000003_0";
    private static final long ROOM = 256L << 20;

    private final List<MemoryNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(MemoryNode::close);
    }

    private MemoryNode node(final long capacity) {
        final MemoryNode node = new MemoryNode(nodes.size(), capacity);
        nodes.add(node);
        return node;
    }

    private static RemoteOutput at(final String output, final List<MemoryNode> copies) {
        final List<Channel> channels = copies.stream().map(MemoryNode::connect).toList();
        return new RemoteOutput(output, channels, MemoryNode.connector(copies));
    }

    /** Writes and commits an output at all nodes. */
    private void write(final TestOutput output) throws IOException {
        write(output, OUTPUT);
    }

    private void write(final TestOutput output, final String name) throws IOException {
        try (RemoteOutput remote = at(name, nodes);
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            output.writeTo(sink, sink::endSegment);
            sink.commit();
        }
    }

    private RemoteStoreException failure(final TestOutput output) {
        return catchThrowableOfType(RemoteStoreException.class, () -> write(output));
    }

    private void requireSame(final TestOutput output, final String name) throws Exception {
        final TestOutput.Local local = output.local();
        for (final MemoryNode node : nodes) {
            for (int partition = 0; partition < output.partitions(); partition++) {
                assertThat(node.read(name, partition))
                        .as("partition %d at %s", partition, node.address())
                        .isEqualTo(local.segment(partition));
                try (ServedSegment segment = node.open(name, partition)) {
                    assertThat(segment.rawLength()).isEqualTo(local.rawLength(partition));
                    assertThat(segment.runs()).isOne();
                }
            }
            assertThatThrownBy(() -> node.open(name, output.partitions()))
                    .hasMessageContaining("is not among");
        }
    }

    private void requireNothingLeft() throws InterruptedException {
        for (final MemoryNode node : nodes) {
            node.awaitUsed(0);
            assertThat(node.segments().outputsOf(MemoryNode.JOB)).isZero();
        }
    }

    // ---- what arrives --------------------------------------------------------------------------

    @Property(tries = 60)
    void everyNodeHasTheBytesOfALocalFile(
            @ForAll @IntRange(min = 1, max = 30) final int partitions,
            @ForAll @IntRange(min = 10, max = 18) final int blockBits,
            @ForAll @IntRange(min = 1, max = 3) final int copies,
            @ForAll final long seed)
            throws Exception {
        final TestOutput output = new TestOutput(seed, partitions, 1 << blockBits);
        try {
            for (int copy = 0; copy < copies; copy++) {
                node(ROOM);
            }
            write(output);
            requireSame(output, OUTPUT);
            requireChecksums(output, new Random(seed));
        } finally {
            stop();
            nodes.clear();
        }
    }

    /** A reducer asks for windows of whole blocks. */
    private void requireChecksums(final TestOutput output, final Random random) throws Exception {
        final int block = output.blockLength();
        for (int partition = 0; partition < output.partitions(); partition++) {
            final byte[] bytes = output.local().segment(partition);
            final int blocks = (bytes.length + block - 1) / block;
            for (int i = 0; i < 4; i++) {
                final int first = random.nextInt(blocks);
                final int start = first * block;
                final int count = 1 + random.nextInt(blocks - first);
                final int length = Math.min(count * block, bytes.length - start);
                final CRC32C crc = new CRC32C();
                crc.update(bytes, start, length);
                try (ServedSegment segment = nodes.get(0).open(OUTPUT, partition)) {
                    assertThat(segment.checksum(start, length)).isEqualTo(crc.getValue());
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 65536", "1, 1024", "200, 1024", "2000, 1024", "2000, 65536", "2000, 262144"})
    void anyNumberOfPartitionsArrives(final int partitions, final int blockLength)
            throws Exception {
        node(ROOM);
        final TestOutput output = new TestOutput(5, partitions, blockLength);
        write(output);
        requireSame(output, OUTPUT);
    }

    @Test
    void tellsWhereAnOutputIsAndHowLong() throws Exception {
        node(ROOM);
        node(ROOM);
        final TestOutput output = new TestOutput(6, 7, 4096);
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            output.writeTo(sink, sink::endSegment);
            sink.commit();
            assertThat(sink.length()).isEqualTo(output.local().length());
            assertThat(sink.failureOrNull()).isNull();
            assertThat(remote.places())
                    .extracting(SegmentPlace::address)
                    .containsExactly(nodes.get(0).address(), nodes.get(1).address());
        }
        assertThat(nodes).allSatisfy(node -> assertThat(node.openChannels()).isZero());
    }

    /** Both attempts of a map may write at a time; each has a name of its own. */
    @Test
    void anotherAttemptOfTheMapIsAnotherOutput() throws Exception {
        node(ROOM);
        final TestOutput first = new TestOutput(7, 20, 4096);
        final TestOutput second = new TestOutput(8, 20, 2048);
        final String twin = OUTPUT.substring(0, OUTPUT.length() - 1) + 1;
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, first.blockLength())) {
            first.writeTo(sink, sink::endSegment);
            write(second, twin);
            sink.commit();
        }
        requireSame(first, OUTPUT);
        requireSame(second, twin);
    }

    /** A twin that is killed leaves nothing, and takes nothing away. */
    @Test
    void anOutputThatIsNotCommittedIsForgotten() throws Exception {
        node(ROOM);
        final TestOutput output = new TestOutput(9, 20, 4096);
        write(output);
        final long used = nodes.get(0).segments().used();
        try (RemoteOutput remote = at(OUTPUT + "9", nodes);
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            output.writeTo(sink, sink::endSegment);
        }
        nodes.get(0).awaitUsed(used);
        requireSame(output, OUTPUT);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void putsAgainWhatArrivesDamaged(final int tries) throws Exception {
        node(ROOM).damages(tries);
        node(ROOM);
        final TestOutput output = new TestOutput(10, 12, 8192);
        write(output);
        requireSame(output, OUTPUT);
    }

    @Test
    void refusesASegmentOfAnotherLengthThanWasWritten() throws Exception {
        node(ROOM);
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, 1024)) {
            sink.write(new byte[5000]);
            assertThatThrownBy(() -> sink.endSegment(new IndexEntry(0, 5000, 5001), 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("written=5000, expected 5001");
        }
        requireNothingLeft();
    }

    // ---- what fails ----------------------------------------------------------------------------

    private static TestOutput large() {
        return new TestOutput(11, 40, 16 << 10);
    }

    private static long length(final TestOutput output) throws IOException {
        return output.local().length();
    }

    /** Of two copies, neither stays where one has no room. */
    @Test
    void aNodeWithoutRoomEndsTheOutputEverywhere() throws Exception {
        node(ROOM);
        node(length(large()) / 2);
        final RemoteStoreException failure = failure(large());
        assertThat(failure.reason()).isEqualTo(Reason.FULL);
        assertThat(failure)
                .hasMessageStartingWith(nodes.get(1).address() + " does not take " + OUTPUT)
                .hasMessageContaining("FULL")
                .hasCauseInstanceOf(FetchException.class);
        requireNothingLeft();
    }

    @Property(tries = 40)
    void aNodeThatIsLostNeverShowsAPart(
            @ForAll @IntRange(min = 0, max = 1000) final int permille,
            @ForAll @IntRange(min = 1, max = 2) final int copies)
            throws IOException {
        final TestOutput output = new TestOutput(permille, 15, 4 << 10);
        try {
            for (int copy = 0; copy < copies; copy++) {
                node(ROOM);
            }
            final long lastByte = length(output) - 1;
            final MemoryNode lost = nodes.get(copies - 1).lostAfter(lastByte * permille / 1000);
            assertThat(failure(output))
                    .hasMessageStartingWith(lost.address() + " does not take ")
                    .hasMessageContaining("DISCONNECTED");
            for (final MemoryNode node : nodes) {
                assertThatThrownBy(() -> node.open(OUTPUT, 0)).hasMessageContaining("is not here");
            }
        } finally {
            stop();
            nodes.clear();
        }
    }

    @Test
    void aCommitThatIsLostFailsTheOutput() {
        node(ROOM).lostAtCommit();
        assertThat(failure(large()).reason()).isEqualTo(Reason.NOT_FOUND);
    }

    @Test
    void aCommitWhoseAnswerIsLostIsAskedForAgain() throws Exception {
        final TestOutput output = large();
        final MemoryNode node = node(ROOM).losesAnswerOfCommit();
        write(output);
        assertThat(node.segments().holds(MemoryNode.JOB, OUTPUT)).isTrue();
        assertThat(node.read(OUTPUT, 0)).isEqualTo(output.local().segment(0));
    }

    /** The flag is the job's; an opening of a channel ends by it. */
    @Test
    void anInterruptedWriterAsksAgainAllTheSame() throws Exception {
        final MemoryNode node = node(ROOM).losesAnswerOfCommit();
        Thread.currentThread().interrupt();
        try {
            write(large());
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            final boolean unused = Thread.interrupted();
        }
        assertThat(node.segments().holds(MemoryNode.JOB, OUTPUT)).isTrue();
    }

    /** To store it elsewhere too would give reducers two outputs of one attempt. */
    @Test
    void aNodeThatDoesNotSayWhetherItHasTheOutputFailsTheAttempt() throws Exception {
        final TestOutput output = large();
        final MemoryNode node = node(ROOM).losesAnswerOfCommit().unreachableFromThenOn();
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink =
                        new RemoteSink(remote, output.blockLength(), DirectMemory.SYSTEM, 300)) {
            output.writeTo(sink, sink::endSegment);
            assertThatThrownBy(sink::commit)
                    .isInstanceOf(UnclearCommitException.class)
                    .hasMessageContaining("this attempt fails");
            assertThat(sink.failureOrNull()).as("nothing to fall back for").isNull();
        }
        assertThat(node.segments().holds(MemoryNode.JOB, OUTPUT)).isTrue();
    }

    @Test
    void whatOneNodeHasCommittedIsWithdrawnWhereAnotherHasNot() throws Exception {
        final MemoryNode whole = node(ROOM);
        final MemoryNode killed = node(ROOM).lostAtCommit();
        final TestOutput output = large();
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            output.writeTo(sink, sink::endSegment);
            assertThatThrownBy(sink::commit)
                    .isInstanceOf(RemoteStoreException.class)
                    .hasMessageContaining(killed.address().toString());
            assertThat(whole.segments().holds(MemoryNode.JOB, OUTPUT)).isFalse();
            assertThat(whole.segments().used()).isZero();
        }
    }

    /** A writer falls back for a failure of the sink: then reducers would find two outputs. */
    @Test
    void anUnclearCommitAtOneNodeIsUnclearWhereAnotherHasRefused() throws Exception {
        node(ROOM).lostAtCommit();
        final MemoryNode silent = node(ROOM).losesAnswerOfCommit().unreachableFromThenOn();
        final TestOutput output = large();
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink =
                        new RemoteSink(remote, output.blockLength(), DirectMemory.SYSTEM, 300)) {
            output.writeTo(sink, sink::endSegment);
            assertThatThrownBy(sink::commit)
                    .isInstanceOf(UnclearCommitException.class)
                    .hasMessageContaining(silent.address().toString());
            assertThat(sink.failureOrNull()).as("nothing to fall back for").isNull();
        }
        assertThat(silent.segments().holds(MemoryNode.JOB, OUTPUT)).isTrue();
    }

    @Test
    void bytesThatAlwaysArriveDamagedFailTheOutput() throws InterruptedException {
        node(ROOM).damages(Integer.MAX_VALUE);
        assertThat(failure(large()).reason()).isEqualTo(Reason.DAMAGED);
        requireNothingLeft();
    }

    /** More than the node's whole capacity is one more way to find no room. */
    @Test
    void aPieceBeyondTheCapacityFindsNoRoom() throws Exception {
        final TestOutput output = large();
        node(length(output) / 8);
        assertThat(failure(output).reason()).isEqualTo(Reason.FULL);
        requireNothingLeft();
    }

    /** A combiner may swallow what a write throws: the commit must not succeed then. */
    @Test
    void aFailureIsThrownAgainByAllThatFollows() throws Exception {
        node(1 << 20);
        final byte[] bytes = new byte[4 << 20];
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, 64 << 10)) {
            assertThatThrownBy(() -> sink.write(bytes)).isInstanceOf(RemoteStoreException.class);
            assertThatThrownBy(() -> sink.write(bytes)).isInstanceOf(RemoteStoreException.class);
            assertThatThrownBy(sink::commit).isInstanceOf(RemoteStoreException.class);
            assertThat(sink.failureOrNull().reason()).isEqualTo(Reason.FULL);
        }
        requireNothingLeft();
    }

    @Test
    void withoutMemoryForPiecesTheOutputFails() {
        node(ROOM);
        final FailingMemory memory = new FailingMemory();
        memory.failAt(1, 1);
        try (RemoteOutput remote = at(OUTPUT, nodes);
                RemoteSink sink = new RemoteSink(remote, 64 << 10, memory, 1_000)) {
            assertThatThrownBy(() -> sink.write(1))
                    .isInstanceOf(RemoteStoreException.class)
                    .hasMessageContaining("no memory outside the heap");
        }
        assertThat(nodes.get(0).bytesTaken()).isZero();
    }

    @Test
    void anOutputHasOneToThreeCopiesAndAName() {
        node(ROOM);
        final Channel channel = nodes.get(0).connect();
        final RemoteOutput.Connector none = address -> channel;
        assertThatThrownBy(() -> new RemoteOutput(OUTPUT, List.of(), none))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                new RemoteOutput(
                                        OUTPUT, List.of(channel, channel, channel, channel), none))
                .hasMessageContaining("copies=4");
        assertThatThrownBy(() -> new RemoteOutput("../x", List.of(channel), none))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
