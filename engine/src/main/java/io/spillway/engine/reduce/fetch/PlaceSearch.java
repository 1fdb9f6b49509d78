// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.spi.OutputPlaces;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the framework where outputs are whose own node cannot be reached, and has their fetches go
 * on there. For those that nothing is known of, the node has failed as ever, only later by the time
 * of the question. One question is under way at a time; nodes that fail meanwhile share the next.
 * An output is asked for again after a while only. Owned by the loop's thread; a thread of its own
 * waits for answers.
 */
public final class PlaceSearch {
    private static final Logger LOG = LoggerFactory.getLogger(PlaceSearch.class);

    private static final long AGAIN_MILLIS = 30_000;

    /** About: a connection and an answer. What ends the wait is the answer, or its failure. */
    private static final long LONGEST_QUESTION_MILLIS = 20_000;

    /** The one that is under way, and the next. */
    private static final int QUESTIONS_IN_LINE = 2;

    /**
     * What is to be asked for one node.
     *
     * @param otherwise runs after the answer
     */
    private record Search(Node node, List<String> outputs, Runnable otherwise) {}

    private final ShuffleLoop loop;
    private final List<MapSlot> maps;
    private final FetchPlanner planner;
    private final NodeConnections connections;
    private final OutputPlaces places;
    private final ExecutorService asker;

    /** What the next question is for. */
    private final Deque<Search> waiting = new ArrayDeque<>();

    private boolean isAsking;

    /** When an output was last asked for, by its name. */
    private final Map<String, Long> askedMillis = new HashMap<>();

    /** The last answers, by the names of outputs. */
    private final Map<String, SegmentPlaces> known = new HashMap<>();

    /** Creates a search that asks for nothing yet. */
    public PlaceSearch(
            final ShuffleState shuffle,
            final FetchPlanner planner,
            final NodeConnections connections,
            final OutputPlaces places) {
        this.loop = shuffle.loop;
        this.maps = shuffle.maps;
        this.planner = planner;
        this.connections = connections;
        this.places = places;
        this.asker = loop.blockingThreads("spillway-locate", 1);
    }

    /**
     * A node has failed. Where it cannot be reached, its outputs may be at others.
     *
     * @param otherwise runs once, now or after the answer, by the loop's thread: the node has
     *     failed for the outputs that are still fetched from it
     */
    public void nodeFailed(final Node node, final IOException cause, final Runnable otherwise) {
        if (places == OutputPlaces.NONE || !isUnreachable(cause)) {
            otherwise.run();
            return;
        }
        goOnAtOtherCopies(node);
        final List<String> outputs = due(node);
        if (outputs.isEmpty()) {
            otherwise.run();
            return;
        }
        rest(node, QUESTIONS_IN_LINE);
        outputs.forEach(output -> askedMillis.put(output, loop.nowMillis()));
        waiting.addLast(new Search(node, outputs, otherwise));
        askNext();
    }

    private static boolean isUnreachable(final IOException cause) {
        return cause instanceof FetchException failure
                && (failure.reason() == FetchException.Reason.DISCONNECTED
                        || failure.reason() == FetchException.Reason.TIMED_OUT);
    }

    /** Fetches that have come back from one copy, which has failed, go on at another one. */
    private void goOnAtOtherCopies(final Node node) {
        for (final SegmentFetch fetch : fetchesAt(node)) {
            final SegmentPlaces others = known.get(fetch.attempt.name());
            if (others != null && fetch.hops.hasOther(node.address) && isMoved(fetch, others)) {
                LOG.info("{} goes on at another copy", fetch);
            }
        }
    }

    /** The outputs that are fetched from the node they were announced at, this one. */
    private List<SegmentFetch> fetchesAt(final Node node) {
        final List<SegmentFetch> found = new ArrayList<>();
        for (final MapSlot map : maps) {
            map.incomplete()
                    .filter(fetch -> fetch.node() == node && !fetch.isAway())
                    .forEach(found::add);
        }
        return found;
    }

    private List<String> due(final Node node) {
        final long since = loop.nowMillis() - AGAIN_MILLIS;
        return fetchesAt(node).stream()
                .map(fetch -> fetch.attempt.name())
                .distinct()
                .filter(output -> askedMillis.getOrDefault(output, Long.MIN_VALUE) <= since)
                .limit(OutputPlaces.MOST)
                .toList();
    }

    /** Asks for the outputs of all nodes that wait, as far as one question may hold them. */
    private void askNext() {
        if (isAsking || waiting.isEmpty()) {
            return;
        }
        isAsking = true;
        final List<Search> batch = nextBatch();
        waiting.forEach(search -> rest(search.node, QUESTIONS_IN_LINE));
        batch.forEach(search -> rest(search.node, 1));
        asker.execute(() -> ask(batch));
    }

    /** Nothing is asked of a node until the answer is here. */
    private void rest(final Node node, final int questions) {
        node.rest(loop.nowMillis() + questions * LONGEST_QUESTION_MILLIS);
    }

    private List<Search> nextBatch() {
        final List<Search> batch = new ArrayList<>();
        int room = OutputPlaces.MOST;
        while (!waiting.isEmpty() && waiting.peekFirst().outputs.size() <= room) {
            room -= waiting.peekFirst().outputs.size();
            batch.add(waiting.pollFirst());
        }
        return batch;
    }

    /** On the asker's thread. */
    private void ask(final List<Search> batch) {
        final List<String> outputs =
                batch.stream().flatMap(search -> search.outputs.stream()).distinct().toList();
        try {
            final Map<String, SegmentPlaces> answer = places.locate(outputs);
            loop.execute(LoopMessage.PLACES_FOUND, () -> answered(batch, answer));
        } catch (final IOException e) {
            LOG.info(
                    "Where {} outputs of {} are cannot be learned: {}",
                    outputs.size(),
                    batch.stream().map(search -> search.node.address).toList(),
                    e.getMessage());
            LOG.debug("Asking for outputs failed", e);
            loop.execute(LoopMessage.PLACES_FOUND, () -> failed(batch));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            loop.execute(LoopMessage.PLACES_FOUND, () -> failed(batch));
        } catch (final RuntimeException | Error e) {
            loop.fail(e);
        }
    }

    private void answered(final List<Search> batch, final Map<String, SegmentPlaces> answer) {
        isAsking = false;
        batch.forEach(search -> found(search.node, answer, search.otherwise));
        askNext();
    }

    /** Those in line do not wait for a service that has just been silent. */
    private void failed(final List<Search> batch) {
        batch.addAll(waiting);
        waiting.clear();
        answered(batch, Map.of());
    }

    private void found(
            final Node node, final Map<String, SegmentPlaces> answer, final Runnable otherwise) {
        known.putAll(answer);
        int moved = 0;
        for (final SegmentFetch fetch : fetchesAt(node)) {
            final SegmentPlaces others = answer.get(fetch.attempt.name());
            if (others != null && isMoved(fetch, others)) {
                moved++;
            }
        }
        if (moved > 0) {
            LOG.info(
                    "{} cannot be reached: {} fetches go on at nodes that hold the outputs",
                    node.address,
                    moved);
        }
        otherwise.run();
    }

    private boolean isMoved(final SegmentFetch fetch, final SegmentPlaces others) {
        final SegmentPlace place = fetch.hops.choose(others);
        if (fetch.hops.sentOn(fetch.node().address, place.address()) != null) {
            return false;
        }
        planner.move(fetch, connections.node(place.address()));
        planner.enqueue(fetch);
        return true;
    }

    /** Waits for no more answers. Any thread. */
    public void stop() {
        asker.shutdownNow();
    }
}
