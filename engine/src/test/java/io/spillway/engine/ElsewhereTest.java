// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs that are at another node than the one at which they were announced. */
@Timeout(60)
class ElsewhereTest {
    private static final NodeAddress STORE = TaskFixture.node(20);
    private static final NodeAddress OTHER_STORE = TaskFixture.node(21);
    private static final OutputId FIRST = LostStreams.first(0);
    private static final OutputId SECOND = LostStreams.second(0);

    @TempDir Path localDir;

    private LostStreams merge;

    @AfterEach
    void close() {
        merge.close();
    }

    private SteppedShuffle copy(final int maps) throws IOException {
        merge = new LostStreams(maps, localDir);
        merge.shuffle = new SteppedShuffle(merge.task);
        return merge.shuffle;
    }

    /** All maps but the first are copied: a failure of that one does not fail the reducer. */
    private SteppedShuffle copyAllButOne() throws IOException {
        return copyAllButOne(OutputPlaces.NONE);
    }

    private SteppedShuffle copyAllButOne(final OutputPlaces places) throws IOException {
        merge = new LostStreams(10, localDir);
        merge.task.places = places;
        merge.task.maxPenaltyMillis = 60_000;
        merge.shuffle = new SteppedShuffle(merge.task);
        for (int map = 1; map < 10; map++) {
            merge.shuffle.succeeded(
                    LostStreams.first(map), TaskFixture.node(map), merge.segments.get(map));
        }
        return merge.shuffle;
    }

    /** The output of a map's first attempt is at a store, and its node says so. */
    private void put(final int map, final NodeAddress store) {
        final OutputId output = LostStreams.first(map);
        merge.shuffle.nodes.put(store, output.name(), merge.segments.get(map));
        merge.shuffle.nodes.elsewhere(TaskFixture.node(map), output.name(), store);
        merge.shuffle.succeeded(output, TaskFixture.node(map));
    }

    private void endCopying() throws IOException {
        merge.shuffle.pass(300);
        merge.streams = merge.shuffle.copied();
        assertThat(merge.streams).as("copied").isNotNull();
    }

    private List<NodeAddress> askedNodes(final OutputId output) {
        return merge.shuffle.askedOf(output).stream().map(SteppedShuffle.Asked::node).toList();
    }

    // ---- outputs that were moved ---------------------------------------------------------------

    @Test
    void recordsComeFromTheNodesThatAreNamed() throws IOException {
        copy(4);
        put(0, STORE);
        put(1, STORE);
        put(2, OTHER_STORE);
        merge.shuffle.succeeded(LostStreams.first(3), TaskFixture.node(3), merge.segments.get(3));
        endCopying();
        merge.requireRest();

        for (int map = 0; map < 3; map++) {
            final List<NodeAddress> asked = askedNodes(LostStreams.first(map));
            assertThat(asked.get(0)).isEqualTo(TaskFixture.node(map));
            assertThat(asked.subList(1, asked.size()))
                    .hasSizeGreaterThan(10)
                    .containsOnly(map == 2 ? OTHER_STORE : STORE);
        }
        assertThat(merge.task.counters.failedFetches()).isZero();
        assertThat(merge.task.reported()).isEmpty();
    }

    @Test
    void aStreamFollowsAnOutputThatIsMovedWhileItIsMerged() throws IOException {
        copy(2);
        put(0, STORE);
        put(1, STORE);
        endCopying();
        merge.take(0, 3);
        for (int moves = 0; moves < 12; moves++) {
            final NodeAddress from = moves % 2 == 0 ? STORE : OTHER_STORE;
            final NodeAddress to = moves % 2 == 0 ? OTHER_STORE : STORE;
            merge.shuffle.nodes.put(to, FIRST.name(), merge.segments.get(0));
            merge.shuffle.nodes.elsewhere(to, FIRST.name());
            merge.shuffle.nodes.elsewhere(from, FIRST.name(), to);
            merge.take(0, 3);
        }
        merge.requireRest();

        assertThat(askedNodes(FIRST).stream().filter(TaskFixture.node(0)::equals)).hasSize(1);
        assertThat(merge.task.reported()).isEmpty();
    }

    @Test
    void eachRunOfAnOutputMayBeAtANodeOfItsOwn() throws IOException {
        merge = new LostStreams(1, localDir);
        merge.task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "64k").runsPerMap = 8;
        merge.shuffle = new SteppedShuffle(merge.task);
        final TestSegment[] runs = new TestSegment[3];
        for (int run = 0; run < runs.length; run++) {
            runs[run] = TestSegment.random(new Random(run), 400, 200, null);
        }
        for (int run = 0; run < runs.length; run++) {
            final NodeAddress store = TaskFixture.node(20 + run);
            merge.shuffle.nodes.put(store, FIRST.name(), runs);
            merge.shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), run, store);
        }
        merge.shuffle.succeeded(FIRST, TaskFixture.node(0));
        endCopying();

        assertThat(merge.streams).hasSize(3);
        for (int run = 0; run < runs.length; run++) {
            final byte[] whole = runs[run].bytes();
            assertThat(merge.shuffle.take(merge.streams.get(run), Integer.MAX_VALUE))
                    .isEqualTo(Arrays.copyOf(whole, whole.length - SegmentChecksum.LENGTH));
            assertThat(merge.streams.get(run).node().address).isEqualTo(TaskFixture.node(20 + run));
        }
        assertThat(merge.shuffle.pool().chunksOut()).isZero();
    }

    @Test
    void anAttemptThatTakesOverMayBeElsewhere() throws IOException {
        copy(2);
        put(0, STORE);
        put(1, OTHER_STORE);
        endCopying();
        merge.take(0, 5);
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        merge.shuffle.nodes.put(OTHER_STORE, SECOND.name(), merge.segments.get(0));
        merge.shuffle.nodes.elsewhere(TaskFixture.node(9), SECOND.name(), OTHER_STORE);
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9));

        merge.requireRest();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isOne();
    }

    // ---- outputs whose own node is gone --------------------------------------------------------

    /** Gives the places that a test has set, and records the questions. */
    private static final class Service implements OutputPlaces {
        private final List<List<String>> questions = new ArrayList<>();
        private final Map<String, SegmentPlaces> known = new HashMap<>();
        private boolean down;

        /** What happens while it is asked. */
        private Runnable meanwhile = () -> {};

        void holds(final OutputId output, final NodeAddress... nodes) {
            known.put(
                    output.name(),
                    new SegmentPlaces(
                            Arrays.stream(nodes).map(node -> new SegmentPlace(node, 1)).toList()));
        }

        @Override
        public Map<String, SegmentPlaces> locate(final List<String> outputs) throws IOException {
            questions.add(outputs);
            meanwhile.run();
            if (down) {
                throw new IOException("the service is down");
            }
            return known;
        }
    }

    private Service copyWithService(final int maps) throws IOException {
        final Service service = new Service();
        merge = new LostStreams(maps, localDir);
        merge.task.places = service;
        merge.shuffle = new SteppedShuffle(merge.task);
        return service;
    }

    private Service copyAllButOneWithService() throws IOException {
        final Service service = new Service();
        copyAllButOne(service);
        return service;
    }

    /** The output of a map is at a store, and its own node is gone. */
    private void putAndLoseHome(final Service service, final int map, final NodeAddress... stores) {
        final OutputId output = LostStreams.first(map);
        merge.shuffle.nodes.put(stores[0], output.name(), merge.segments.get(map));
        merge.shuffle.nodes.refuse(TaskFixture.node(map), Reason.DISCONNECTED);
        service.holds(output, stores);
        merge.shuffle.succeeded(output, TaskFixture.node(map));
    }

    @Test
    void whenAnOutputsOwnNodeIsGoneTheServiceKnowsItsPlace() throws IOException {
        final Service service = copyWithService(3);
        putAndLoseHome(service, 0, STORE);
        putAndLoseHome(service, 1, OTHER_STORE);
        merge.shuffle.succeeded(LostStreams.first(2), TaskFixture.node(2), merge.segments.get(2));
        endCopying();
        merge.requireRest();

        assertThat(service.questions)
                .containsExactlyInAnyOrder(
                        List.of(FIRST.name()), List.of(LostStreams.first(1).name()));
        assertThat(askedNodes(FIRST)).containsOnly(STORE);
        assertThat(merge.shuffle.nodes.refusals(TaskFixture.node(0))).isOne();
        assertThat(merge.task.counters.failedFetches()).as("nothing is reported").isZero();
    }

    @Test
    void allOutputsOfANodeAreOneQuestion() throws IOException {
        final Service service = copyWithService(4);
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        for (int map = 0; map < 4; map++) {
            final OutputId output = LostStreams.first(map);
            merge.shuffle.nodes.put(STORE, output.name(), merge.segments.get(map));
            service.holds(output, STORE);
        }
        merge.shuffle.succeededAll(
                TaskFixture.node(0),
                List.of(FIRST, LostStreams.first(1), LostStreams.first(2), LostStreams.first(3)));
        endCopying();
        merge.requireRest();

        assertThat(service.questions).hasSize(1);
        assertThat(service.questions.get(0)).hasSize(4);
    }

    @Test
    void aStreamGoesOnAtAnotherCopyWhenItsNodesAreGone() throws IOException {
        final Service service = copyWithService(2);
        put(0, STORE);
        put(1, OTHER_STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.put(OTHER_STORE, FIRST.name(), merge.segments.get(0));
        service.holds(FIRST, OTHER_STORE);
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        merge.requireRest();

        assertThat(service.questions).containsExactly(List.of(FIRST.name()));
        assertThat(merge.hasFailed(0)).isFalse();
    }

    @Test
    void ofTwoCopiesTheOtherOneIsAskedWithoutAnotherQuestion() throws IOException {
        final Service service = copyWithService(2);
        put(1, OTHER_STORE);
        merge.shuffle.nodes.put(OTHER_STORE, FIRST.name(), merge.segments.get(0));
        putAndLoseHome(service, 0, STORE, OTHER_STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        merge.requireRest();

        assertThat(service.questions).hasSize(1);
        assertThat(askedNodes(FIRST)).contains(STORE, OTHER_STORE);
        assertThat(merge.hasFailed(0)).isFalse();
    }

    /** As without a service: failures are counted, and the node is asked again. */
    @Test
    void aServiceThatDoesNotAnswerChangesNothing() throws IOException {
        final Service service = copyAllButOneWithService();
        service.down = true;
        putAndLoseHome(service, 0, STORE);
        merge.shuffle.pass(20_000);
        assertThat(service.questions).as("within half a minute").hasSize(1);
        assertThat(merge.shuffle.copied()).isNull();
        assertThat(merge.task.counters.failedFetches()).isGreaterThan(1);
        assertThat(merge.shuffle.nodes.refusals(TaskFixture.node(0))).isGreaterThan(1);

        service.down = false;
        merge.shuffle.pass(80_000);
        assertThat(service.questions).hasSize(2);
        endCopying();
        merge.requireRest();
    }

    /** Each for itself they would wait for two minutes and more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodesThatAreGoneShareAQuestion(final boolean down) throws IOException {
        final int gone = 8;
        final Service service = copyWithService(gone);
        service.down = down;
        service.meanwhile = () -> merge.shuffle.pass(19_000);
        final List<OutputId> outputs = new ArrayList<>();
        for (int map = 0; map < gone; map++) {
            final OutputId output = LostStreams.first(map);
            outputs.add(output);
            merge.shuffle.nodes.put(STORE, output.name(), merge.segments.get(map));
            merge.shuffle.nodes.refuse(TaskFixture.node(map), Reason.DISCONNECTED);
            service.holds(output, STORE);
        }
        merge.shuffle.succeededAll(outputs, output -> TaskFixture.node(output.map()));

        assertThat(service.questions).hasSize(down ? 1 : 2);
        if (down) {
            assertThat(merge.task.counters.failedFetches()).as("by stock's rules").isPositive();
        } else {
            assertThat(service.questions.get(1)).hasSize(gone - 1);
            assertThat(merge.task.counters.failedFetches()).isZero();
            endCopying();
            merge.requireRest();
        }
    }

    @Test
    void anOutputThatTheServiceDoesNotKnowWaitsForItsNode() throws IOException {
        final Service service = copyAllButOneWithService();
        service.holds(SECOND, STORE);
        merge.shuffle.nodes.put(STORE, FIRST.name(), merge.segments.get(0));
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        merge.shuffle.succeeded(FIRST, TaskFixture.node(0));
        assertThat(service.questions).hasSize(1);
        assertThat(merge.task.counters.failedFetches()).isOne();
        assertThat(merge.shuffle.copied()).isNull();
        merge.shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), STORE);
        merge.shuffle.nodes.refuse(TaskFixture.node(0), null);
        merge.shuffle.pass(60_000);
        endCopying();
        merge.requireRest();
    }

    // ---- nodes that send requests round --------------------------------------------------------

    private void loop() {
        merge.shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), STORE);
        merge.shuffle.nodes.elsewhere(STORE, FIRST.name(), OTHER_STORE);
        merge.shuffle.nodes.elsewhere(OTHER_STORE, FIRST.name(), TaskFixture.node(0));
    }

    @Test
    void aLoopFailsTheOutputAndNothingElse() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        loop();
        shuffle.succeeded(FIRST, TaskFixture.node(0));
        assertThat(askedNodes(FIRST)).containsExactly(TaskFixture.node(0), STORE, OTHER_STORE);
        assertThat(merge.task.reported()).containsExactly(FIRST);
        assertThat(merge.task.counters.failedFetches()).isOne();

        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        endCopying();
        merge.requireRest();
    }

    @Test
    void aNodeThatNamesItselfFailsTheOutput() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), TaskFixture.node(0));
        shuffle.succeeded(FIRST, TaskFixture.node(0));
        assertThat(askedNodes(FIRST)).hasSize(1);
        assertThat(merge.task.reported()).containsExactly(FIRST);
    }

    @Test
    void aChainWithoutAnEndFailsTheOutput() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), STORE);
        for (int node = 0; node < 20; node++) {
            shuffle.nodes.elsewhere(
                    TaskFixture.node(node + 20), FIRST.name(), TaskFixture.node(node + 21));
        }
        shuffle.succeeded(FIRST, TaskFixture.node(0));
        assertThat(askedNodes(FIRST)).hasSizeBetween(2, 8);
        assertThat(merge.task.reported()).containsExactly(FIRST);
    }

    @Test
    void aLoopThatBeginsWhileMergingFailsTheReducerInTheEnd() throws IOException {
        copy(2);
        put(0, STORE);
        put(1, STORE);
        endCopying();
        loop();

        assertThatThrownBy(() -> merge.take(0, Integer.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Lost map output of " + FIRST)
                .hasMessageContaining("its nodes send each other's requests on, from node20:13562");
        assertThat(merge.task.reported()).contains(FIRST);
        assertThat(merge.hasFailed(1)).isFalse();
    }

    // ---- nodes that cannot be had --------------------------------------------------------------

    /** The output's own node knows more by then. */
    @Test
    void whenANamedNodeIsLostTheFirstOneIsAskedAgain() throws IOException {
        copy(2);
        put(0, STORE);
        put(1, STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.put(OTHER_STORE, FIRST.name(), merge.segments.get(0));
        merge.shuffle.nodes.put(OTHER_STORE, LostStreams.first(1).name(), merge.segments.get(1));
        for (int map = 0; map < 2; map++) {
            merge.shuffle.nodes.elsewhere(
                    TaskFixture.node(map), LostStreams.first(map).name(), OTHER_STORE);
        }
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        merge.requireRest();
    }

    /** Its output is fetched when another attempt brings it to a node that lives. */
    @Test
    void aNamedNodeThatIsGoneWhileCopyingCostsTheMap() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        put(0, STORE);
        shuffle.pass(20_000);
        assertThat(merge.task.reported()).contains(FIRST);

        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        shuffle.pass(60_000); // the rest of the node that is gone
        endCopying();
        merge.requireRest();
    }

    /** It has no address for HTTP: another attempt is the only way. */
    @Test
    void aNamedNodeWithoutSpillwayIsAFailureToo() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        shuffle.nodes.refuse(STORE, Reason.NOT_SPILLWAY);
        put(0, STORE);
        shuffle.pass(60_000);
        assertThat(merge.task.reported()).contains(FIRST);
        assertThat(shuffle.lives()).isTrue();

        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        shuffle.pass(60_000);
        endCopying();
        merge.requireRest();
    }

    // ---- copies --------------------------------------------------------------------------------

    /** The output of a map's first attempt is at several stores, and its node names them all. */
    private void putAtAll(final int map, final NodeAddress... stores) {
        final OutputId output = LostStreams.first(map);
        for (final NodeAddress store : stores) {
            merge.shuffle.nodes.put(store, output.name(), merge.segments.get(map));
        }
        merge.shuffle.nodes.elsewhere(TaskFixture.node(map), output.name(), stores);
        merge.shuffle.succeeded(output, TaskFixture.node(map));
    }

    private void assertNothingFailed() {
        assertThat(merge.task.counters.failedFetches()).isZero();
        assertThat(merge.task.reported()).isEmpty();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isZero();
    }

    @Test
    void theFirstCopyIsFetchedWhereAllNodesLive() throws IOException {
        copy(2);
        putAtAll(0, STORE, OTHER_STORE);
        putAtAll(1, OTHER_STORE, STORE);
        endCopying();
        merge.requireRest();
        assertThat(askedNodes(FIRST)).doesNotContain(OTHER_STORE).contains(STORE);
        assertNothingFailed();
    }

    @Test
    void theSecondCopyIsCopiedWhereTheFirstIsGone() throws IOException {
        copy(2);
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        putAtAll(0, STORE, OTHER_STORE);
        putAtAll(1, STORE, OTHER_STORE);
        endCopying();
        merge.requireRest();
        assertNothingFailed();
    }

    @Test
    void aStreamGoesOnFromTheSecondCopyWhenTheFirstIsGone() throws IOException {
        copy(2);
        putAtAll(0, STORE, OTHER_STORE);
        putAtAll(1, STORE, OTHER_STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.refuse(STORE, Reason.DISCONNECTED);
        merge.requireRest();
        assertThat(askedNodes(FIRST)).contains(STORE, OTHER_STORE);
        assertNothingFailed();
    }

    /** It has lost what it had, as one that was started again. */
    @Test
    void aStreamGoesOnFromTheSecondCopyWhenTheFirstNodeIsEmpty() throws IOException {
        copy(2);
        putAtAll(0, STORE, OTHER_STORE);
        putAtAll(1, STORE, OTHER_STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.put(STORE, FIRST.name());
        merge.shuffle.nodes.put(STORE, LostStreams.first(1).name());
        merge.requireRest();
        assertNothingFailed();
    }

    /** And back: both fail, and the first has come back meanwhile. */
    @Test
    void aCopyThatFailedIsAskedAgainWhenTheOthersHaveFailed() throws IOException {
        copy(2);
        putAtAll(0, STORE, OTHER_STORE);
        putAtAll(1, STORE, OTHER_STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.put(STORE, FIRST.name());
        merge.take(0, 10);
        merge.shuffle.nodes.put(STORE, FIRST.name(), merge.segments.get(0));
        merge.shuffle.nodes.put(OTHER_STORE, FIRST.name());
        merge.requireRest();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isZero();
    }

    @Test
    void anAttemptThatTakesOverIsComparedAtItsSecondCopy() throws IOException {
        copy(2);
        put(0, TaskFixture.node(22));
        put(1, OTHER_STORE);
        endCopying();
        merge.take(0, 5);
        merge.shuffle.nodes.refuse(TaskFixture.node(22), Reason.DISCONNECTED);
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        merge.shuffle.nodes.put(OTHER_STORE, SECOND.name(), merge.segments.get(0));
        merge.shuffle.nodes.elsewhere(TaskFixture.node(9), SECOND.name(), STORE, OTHER_STORE);
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9));

        merge.requireRest();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isOne();
    }

    /** A node keeps what it has committed: nothing is gained by asking again. */
    @Test
    void anOutputThatItsOnlyNodeHasLostIsReportedAtOnce() throws IOException {
        final SteppedShuffle shuffle = copyAllButOne();
        shuffle.nodes.elsewhere(TaskFixture.node(0), FIRST.name(), STORE);
        shuffle.succeeded(FIRST, TaskFixture.node(0));
        assertThat(merge.task.reported())
                .hasSizeGreaterThanOrEqualTo(merge.task.settings().failures.notificationsForRerun())
                .containsOnly(FIRST);

        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        endCopying();
        merge.requireRest();
    }

    @Test
    void aStreamThatItsOnlyNodeHasLostIsReportedAtOnceAndTakenOver() throws IOException {
        copy(2);
        put(0, STORE);
        put(1, STORE);
        endCopying();
        merge.take(0, 3);
        merge.shuffle.nodes.put(STORE, FIRST.name());
        merge.shuffle.nodes.put(TaskFixture.node(9), SECOND.name(), merge.segments.get(0));
        merge.take(0, 1);
        merge.shuffle.pass(100);
        assertThat(merge.task.reported())
                .hasSizeGreaterThanOrEqualTo(
                        merge.task.settings().failures.notificationsForRerun());
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        merge.requireRest();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isOne();
    }
}
