// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.merge.InMemoryMerger;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import java.util.Map;

/**
 * Writes down where a shuffle stands, for the log of an attempt that fails: waits, streams, nodes,
 * memory and threads. Owned by the loop's thread, but {@link #threads}.
 */
final class ShuffleDump {
    private static final int MOST_FETCHES = 50;
    private static final int MOST_NODES = 50;
    private static final int MOST_FRAMES = 12;
    private static final String OUR_THREADS = "spillway";

    private final ShuffleState shuffle;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final InMemoryMerger merges;

    ShuffleDump(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final InMemoryMerger merges) {
        this.shuffle = shuffle;
        this.progress = shuffle.progress;
        this.connections = connections;
        this.merges = merges;
    }

    /** The state, in lines; with what is waited for in vain. */
    String text(final WaitCheck.DeadWait dead) {
        final StringBuilder out = new StringBuilder();
        out.append("phase=").append(progress.isMerging() ? "merging" : "copying");
        out.append(" maps=").append(shuffle.maps.size());
        out.append(" copied=").append(progress.copiedMaps());
        out.append(" inMemoryMerge=").append(merges.isRunning());
        out.append(" waitsFor=").append(dead.why()).append('\n');
        out.append("pool: ").append(shuffle.pool).append('\n');
        fetches(out);
        nodes(out);
        return out.append(threads()).toString();
    }

    private void fetches(final StringBuilder out) {
        int incomplete = 0;
        for (final MapSlot map : shuffle.maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (!fetch.isComplete() && incomplete++ < MOST_FETCHES) {
                    fetch(out, fetch);
                }
            }
        }
        more(out, "incomplete fetches", incomplete - MOST_FETCHES);
    }

    private static void more(final StringBuilder out, final String what, final int count) {
        if (count > 0) {
            out.append("and ").append(count).append(" more ").append(what).append('\n');
        }
    }

    private static void fetch(final StringBuilder out, final SegmentFetch fetch) {
        out.append("fetch ").append(fetch);
        out.append(" state=").append(fetch.state());
        out.append(" requests=").append(fetch.requests());
        out.append(" delivered=").append(fetch.delivered());
        out.append(" of=").append(fetch.partLength());
        out.append(" requested=").append(fetch.requestedBytes());
        out.append(" held=").append(fetch.claim.held());
        flag(out, "awaited", fetch.queue.isAwaited());
        flag(out, "queued", fetch.schedule.isQueued());
        flag(out, "starved", fetch.schedule.isStarved());
        flag(out, "resting", fetch.source.isResting());
        flag(out, "obsolete", fetch.source.isObsolete());
        flag(out, "wantsMore", fetch.wantsMore());
        out.append('\n');
    }

    private static void flag(final StringBuilder out, final String name, final boolean set) {
        if (set) {
            out.append(' ').append(name);
        }
    }

    private void nodes(final StringBuilder out) {
        final long now = shuffle.loop.nowMillis();
        connections.nodes().stream().limit(MOST_NODES).forEach(node -> node(out, node, now));
        more(out, "nodes", connections.count() - MOST_NODES);
    }

    private static void node(final StringBuilder out, final Node node, final long now) {
        out.append("node ").append(node.address);
        out.append(" state=").append(node.state());
        out.append(" inFlight=").append(node.inFlight());
        out.append(" waiting=").append(node.waiting().size());
        out.append(" failures=").append(node.failures());
        if (node.inFlight() > 0) {
            out.append(" silentMillis=").append(now - node.lastAnswerMillis());
        }
        if (node.state() == Node.State.RESTING) {
            out.append(" restsForMillis=").append(node.restUntilMillis() - now);
        }
        flag(out, "httpOnly", node.isHttpOnly());
        out.append('\n');
    }

    /** Where Spillway's threads and the task's are. Any thread. */
    static String threads() {
        final StringBuilder out = new StringBuilder();
        for (final Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            final Thread thread = entry.getKey();
            if (thread.getName().startsWith(OUR_THREADS) || isTask(entry.getValue())) {
                out.append("thread ").append(thread.getName());
                out.append(' ').append(thread.getState()).append('\n');
                frames(out, entry.getValue());
            }
        }
        return out.toString();
    }

    private static boolean isTask(final StackTraceElement[] stack) {
        for (final StackTraceElement frame : stack) {
            if (frame.getClassName().equals(ReduceEngine.class.getName())
                    || frame.getClassName().equals(MergedRecords.class.getName())) {
                return true;
            }
        }
        return false;
    }

    private static void frames(final StringBuilder out, final StackTraceElement[] stack) {
        for (int i = 0; i < Math.min(MOST_FRAMES, stack.length); i++) {
            out.append("    at ").append(stack[i]).append('\n');
        }
    }
}
