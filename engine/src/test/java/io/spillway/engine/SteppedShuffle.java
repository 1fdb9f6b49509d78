// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.reduce.fetch.NoFallback;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.report.TaskReport;
import io.spillway.transport.NodeAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The fetching side of one reducer over nodes in memory, by {@link SteppedThreads}: the test is its
 * task thread, its MRAppMaster and its clock. Not thread-safe.
 */
final class SteppedShuffle implements AutoCloseable {
    /** A request that a node has answered, or failed. */
    record Asked(NodeAddress node, String attempt, long offset, long atMillis) {}

    final SteppedThreads threads = new SteppedThreads();
    final MemoryTransport nodes = new MemoryTransport(3, threads.blocking("answers", 1));
    final List<Asked> asked = new ArrayList<>();
    final TaskReport report = new TaskReport();

    private final FetchCoordinator coordinator;
    private final StallClock stalls;
    private MemoryTransport.Script script = (node, segment, offset) -> null;

    SteppedShuffle(final TaskFixture task) throws IOException {
        final ShuffleSettings settings = task.settings();
        coordinator =
                new FetchCoordinator(
                        settings, task.host(threads), NoFallback::new, nodes, threads, report);
        stalls = new StallClock(() -> {}, threads, coordinator::lives);
        nodes.script(
                (node, segment, offset) -> {
                    asked.add(new Asked(node, segment.output(), offset, threads.nowMillis()));
                    return script.onFetch(node, segment, offset);
                });
        coordinator.start();
        threads.settle();
    }

    /** As {@link MemoryTransport#script}. */
    void script(final MemoryTransport.Script newScript) {
        script = newScript;
    }

    /** A map attempt succeeds. */
    void succeeded(final OutputId map, final NodeAddress node, final TestSegment... runs) {
        nodes.put(node, map.name(), runs);
        succeeded(map, node);
    }

    /** As {@link #succeeded(OutputId, NodeAddress, TestSegment...)}; the output is elsewhere. */
    void succeeded(final OutputId map, final NodeAddress node) {
        event(new OutputEvent.Ready(map, node, "http://" + node, 0));
    }

    /** Attempts that ran at one node succeed at once; their outputs are elsewhere. */
    void succeededAll(final NodeAddress node, final List<OutputId> maps) {
        succeededAll(maps, map -> node);
    }

    /** Attempts succeed at once; their outputs are elsewhere. */
    void succeededAll(final List<OutputId> maps, final Function<OutputId, NodeAddress> nodeOf) {
        final List<OutputEvent> events = new ArrayList<>();
        for (final OutputId map : maps) {
            final NodeAddress node = nodeOf.apply(map);
            events.add(new OutputEvent.Ready(map, node, "http://" + node, 0));
        }
        coordinator.onEvents(events);
        threads.settle();
    }

    /** A map attempt's output is withdrawn. */
    void withdraw(final OutputId map) {
        event(new OutputEvent.Withdrawn(map));
    }

    private void event(final OutputEvent event) {
        coordinator.onEvents(List.of(event));
        threads.settle();
    }

    void pass(final long millis) {
        threads.pass(millis);
    }

    long now() {
        return threads.nowMillis();
    }

    MapSlot map(final int index) {
        return coordinator.maps().get(index);
    }

    ChunkPool pool() {
        return coordinator.pool();
    }

    /** The fetches, by map and run, once the copy phase is over; null before. */
    List<SegmentFetch> copied() throws IOException {
        try {
            return coordinator.awaitCopied(0);
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What completion events are needed for. */
    EventNeed eventNeed() {
        return coordinator.eventNeed();
    }

    /** Whether the shuffle has not failed. */
    boolean lives() {
        try {
            return coordinator.lives();
        } catch (final IOException e) {
            return false;
        }
    }

    /** Fails with the shuffle's failure, if it has one. */
    void requireLife() throws IOException {
        assertThat(coordinator.lives()).isTrue();
    }

    /** Takes so many chunks of a run, or all where there are fewer; waits for them. */
    byte[] take(final SegmentFetch fetch, final int most) throws IOException {
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        for (int i = 0; i < most; i++) {
            final Chunk chunk = fetch.queue.take(stalls);
            if (chunk == null) {
                break;
            }
            taken.write(chunk.bytes(), chunk.offset(), chunk.length());
            coordinator.consumed(fetch, chunk);
            threads.settle();
        }
        return taken.toByteArray();
    }

    /** The requests for an attempt's output. */
    List<Asked> askedOf(final OutputId map) {
        return asked.stream().filter(a -> a.attempt().equals(map.toString())).toList();
    }

    /** When a node refuses a connection in the next time, in milliseconds from now on. */
    List<Long> refusalTimes(final NodeAddress node, final long within) {
        final long start = now();
        final List<Long> times = new ArrayList<>();
        threads.settle();
        int seen = nodes.refusals(node);
        while (now() - start < within) {
            pass(1);
            if (nodes.refusals(node) > seen) {
                seen = nodes.refusals(node);
                times.add(now() - start);
            }
        }
        return times;
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
