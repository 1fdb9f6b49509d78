// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.Transport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * Opens channels to some nodes at a time, in the order in which it is asked. Owned by the loop's
 * thread; channels are opened by threads of its own.
 *
 * <p>A node that does not answer holds a thread until the transport's time-out, and it is asked
 * again and again. No other node waits for that: an opening that takes long leaves its turn to the
 * next one, and a node that was silent is opened in a second lane until it has answered.
 */
final class ChannelOpeners {
    /** What becomes of openings. Called by the loop's thread. */
    interface Listener {
        void onOpened(Node node, Channel channel);

        void onOpenFailed(Node node, FetchException cause);
    }

    /** A node that answers does so in less time, mostly. */
    private static final long LONG_MILLIS = 1000;

    /** So many times the openings of a lane may be under way, silent nodes included. */
    private static final int MOST_LANES = 8;

    /** One opening: waits, runs, is over. */
    private static final class Opening {
        final Node node;
        Lane lane;
        boolean over;

        Opening(final Node node, final Lane lane) {
            this.node = node;
            this.lane = lane;
        }
    }

    private static final class Lane {
        final Deque<Opening> waiting = new ArrayDeque<>();
        int running;
    }

    private final ShuffleLoop loop;
    private final Transport transport;
    private final JobCredentials credentials;
    private final int parallel;
    private final Listener listener;
    private final ExecutorService threads;
    private final Lane first = new Lane();
    private final Lane silent = new Lane();

    /**
     * Those that did not answer for long when they were last asked. They have a lane of their own.
     */
    private final Set<Node> silentNodes = new HashSet<>();

    /**
     * Creates openers that have nothing to do.
     *
     * @param parallel how many channels may be opened at a time, silent nodes aside
     */
    ChannelOpeners(
            final ShuffleLoop loop,
            final Transport transport,
            final JobCredentials credentials,
            final int parallel,
            final Listener listener) {
        this.loop = loop;
        this.transport = transport;
        this.credentials = credentials;
        this.parallel = parallel;
        this.listener = listener;
        this.threads = loop.blockingThreads("spillway-open", MOST_LANES * parallel);
    }

    /** Opens a channel to a node, when it is its turn. */
    void open(final Node node) {
        final Lane lane = silentNodes.contains(node) ? silent : first;
        lane.waiting.addLast(new Opening(node, lane));
        startNext();
    }

    private void startNext() {
        startNext(first);
        startNext(silent);
    }

    private void startNext(final Lane lane) {
        while (!lane.waiting.isEmpty()
                && lane.running < parallel
                && first.running + silent.running < MOST_LANES * parallel) {
            lane.running++;
            start(lane.waiting.pollFirst());
        }
    }

    private void start(final Opening opening) {
        opening.node.openingBegan(loop.nowMillis());
        loop.schedule(LoopMessage.OPENING_TAKES_LONG, LONG_MILLIS, () -> takesLong(opening));
        final Node node = opening.node;
        final JobCredentials proving =
                node.isAnnounced() ? credentials : credentials.forNode(node.address);
        threads.execute(
                () -> {
                    try {
                        final Channel channel = transport.open(node.address, proving);
                        opened(opening, channel);
                    } catch (final FetchException e) {
                        loop.execute(LoopMessage.OPENING_FAILED, () -> failed(opening, e));
                    } catch (final RuntimeException | Error e) {
                        loop.fail(e);
                    }
                });
    }

    private void takesLong(final Opening opening) {
        if (opening.over || opening.lane == silent) {
            return;
        }
        silentNodes.add(opening.node);
        opening.lane = silent;
        first.running--;
        silent.running++;
        startNext();
    }

    /** On the opener's thread. */
    private void opened(final Opening opening, final Channel channel) {
        if (loop.isOver()) {
            channel.close();
        }
        loop.execute(
                LoopMessage.CHANNEL_OPENED,
                () -> {
                    end(opening);
                    silentNodes.remove(opening.node);
                    listener.onOpened(opening.node, channel);
                });
    }

    private void failed(final Opening opening, final FetchException cause) {
        end(opening);
        if (loop.nowMillis() - opening.node.openingSinceMillis() < LONG_MILLIS) {
            silentNodes.remove(opening.node);
        }
        listener.onOpenFailed(opening.node, cause);
    }

    private void end(final Opening opening) {
        opening.over = true;
        opening.lane.running--;
        startNext();
    }

    /** Opens no more channels. Any thread. */
    void stop() {
        threads.shutdownNow();
    }
}
