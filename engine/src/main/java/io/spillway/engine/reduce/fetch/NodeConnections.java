// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.thread.Backoff;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes and the channels to them: opens a channel where fetches wait, gives it back when it has
 * nothing to do for a while, lets a node rest after a failure, and says which nodes can be asked.
 * Owned by the loop's thread.
 *
 * <p>That a node answers stock HTTP only holds for a while: it may have been asked while it
 * started, or get another version.
 */
public final class NodeConnections {
    private static final Logger LOG = LoggerFactory.getLogger(NodeConnections.class);

    private final class Openings implements ChannelOpeners.Listener {
        @Override
        public void onOpened(final Node node, final Channel channel) {
            opened(node, channel);
        }

        @Override
        public void onOpenFailed(final Node node, final FetchException cause) {
            openFailed(node, cause);
        }
    }

    /** What becomes of nodes. Called by the loop's thread. */
    public interface Listener {
        /** The node has turned out to answer stock HTTP only. */
        void onHttpOnly(Node node);

        /** The node cannot be reached, or refuses everything. */
        void onFailed(Node node, IOException cause);
    }

    /** When a node that answers stock HTTP only is asked for Spillway again. */
    private static final Backoff HTTP_RESTS = Backoff.doubling(5_000, 160_000);

    private static final int SWEEPS_PER_IDLE_TIME = 4;

    private final ShuffleLoop loop;
    private final long idleMillis;
    private final ShuffleProgress progress;
    private final Listener listener;
    private final ChannelOpeners openers;
    private final Map<NodeAddress, Node> nodes = new HashMap<>();

    /** Those that may be asked for more than before. */
    private final Set<Node> due = new LinkedHashSet<>();

    private long lastOpeningMillis;

    /**
     * Creates connections to no node.
     *
     * @param parallelOpens how many channels may be opened at a time
     */
    public NodeConnections(
            final ShuffleState shuffle,
            final Transport transport,
            final JobCredentials credentials,
            final int parallelOpens,
            final Listener listener) {
        this.loop = shuffle.loop;
        this.idleMillis = shuffle.settings.idleMillis;
        this.progress = shuffle.progress;
        this.listener = listener;
        this.openers =
                new ChannelOpeners(loop, transport, credentials, parallelOpens, new Openings());
    }

    /** The node of an address, always the same object. */
    public Node node(final NodeAddress address, final String baseUrl) {
        final Node node = node(address);
        node.announce(baseUrl);
        return node;
    }

    /** The node of an address that another node has named, always the same object. */
    public Node node(final NodeAddress address) {
        return nodes.computeIfAbsent(address, name -> new Node(name, due::add));
    }

    /** The nodes that are known; to be read only. */
    public Collection<Node> nodes() {
        return nodes.values();
    }

    /** When the opening of a channel last began or ended. */
    public long lastOpeningMillis() {
        return lastOpeningMillis;
    }

    /** The nodes that are known. */
    public int count() {
        return nodes.size();
    }

    /** Takes the next node that may be asked for more than before; null when there is none. */
    Node nextDue() {
        final Iterator<Node> first = due.iterator();
        if (!first.hasNext()) {
            return null;
        }
        final Node node = first.next();
        first.remove();
        return node;
    }

    /** Whether a channel to a node is open, or would be opened at once. */
    boolean isReachable(final Node node) {
        return node.state() == Node.State.OPEN
                || (node.state() == Node.State.IDLE && !goesOverHttp(node));
    }

    /** Before the node is fetched from again, it is asked whether it speaks Spillway. */
    public void askAgain(final Node node) {
        node.askAgainAt(loop.nowMillis());
    }

    /** Whether a node is fetched from over stock HTTP; a merge goes on in channels only. */
    boolean goesOverHttp(final Node node) {
        return node.isHttpOnly() && node.baseUrl() != null && !progress.isMerging();
    }

    /** Opens a channel to a node at which nothing is under way. */
    public void open(final Node node) {
        if (node.state() != Node.State.IDLE) {
            return;
        }
        node.beginOpening();
        lastOpeningMillis = loop.nowMillis();
        openers.open(node);
    }

    private void opened(final Node node, final Channel channel) {
        lastOpeningMillis = loop.nowMillis();
        node.opened(channel);
    }

    private void openFailed(final Node node, final FetchException cause) {
        lastOpeningMillis = loop.nowMillis();
        if (cause.reason() == FetchException.Reason.LOCAL) {
            loop.fail(cause);
            return;
        }
        node.openingFailed(cause.reason());
        if (cause.reason() == FetchException.Reason.NOT_SPILLWAY) {
            answeredHttp(node, cause);
        } else if (cause.reason() != FetchException.Reason.BUSY) {
            node.forgetHttp();
        }
        if (cause.reason() == FetchException.Reason.NOT_SPILLWAY && goesOverHttp(node)) {
            return;
        }
        // One line: thousands of reducers may find a node busy, again and again.
        LOG.warn("Failed to connect to {}: {}", node.address, cause.getMessage());
        LOG.debug("Failed to connect to {}", node.address, cause);
        listener.onFailed(node, cause);
    }

    private void answeredHttp(final Node node, final FetchException cause) {
        final long next = loop.nowMillis() + HTTP_RESTS.after(node.httpAnswers() + 1);
        if (node.answeredHttp(next) && goesOverHttp(node)) {
            LOG.info("{} answers stock HTTP only: {}", node.address, cause.getMessage());
            listener.onHttpOnly(node);
        }
    }

    /** Data has come over a channel. */
    public void proven(final Node node, final Channel channel) {
        if (node.channel() == channel) {
            node.prove();
            node.succeeded();
        }
    }

    /** The node knows the job no more, or has no room: as if it could not be reached. */
    void refused(final Node node, final Channel channel, final FetchException cause) {
        if (node.channel() == channel) {
            LOG.info("{} refuses: {}", node.address, cause.getMessage());
            node.closeChannel();
            listener.onFailed(node, cause);
        }
    }

    /**
     * A channel that worked, or that another one can stand in for, is opened again at once; else it
     * is a failure of the node.
     */
    public void lost(final Node node, final Channel channel, final FetchException cause) {
        if (node.channel() != channel) {
            return;
        }
        LOG.info("Connection to {} lost: {}", node.address, cause.getMessage());
        node.closeChannel();
        if (!node.isProven() && !channel.hasFallback()) {
            listener.onFailed(node, cause);
        }
    }

    /** Gives a silent channel up: what is in flight fails at once, and is asked for anew. */
    public void renew(final Node node) {
        if (node.state() == Node.State.OPEN) {
            LOG.info("{} is silent: connecting again", node.address);
            node.closeChannel();
        }
    }

    /** From here on, gives back channels that have nothing to do; they are opened on demand. */
    public void watchIdle() {
        loop.schedule(
                LoopMessage.IDLE_LOOK,
                Math.max(1, idleMillis / SWEEPS_PER_IDLE_TIME),
                () -> {
                    nodes.values().forEach(this::giveBackIfIdle);
                    watchIdle();
                });
    }

    private void giveBackIfIdle(final Node node) {
        if (node.state() == Node.State.OPEN && node.idleMillis(loop.nowMillis()) >= idleMillis) {
            LOG.debug("{} is not needed now: giving its connection back", node.address);
            node.closeChannel();
        }
    }

    /** Asks nothing of a node for a while. */
    public void rest(final Node node, final long millis) {
        node.rest(loop.nowMillis() + millis);
        loop.schedule(LoopMessage.NODE_RESTED, millis, node::resume);
    }

    /** Opens no more channels. Any thread. */
    public void stopOpening() {
        openers.stop();
    }

    /** Closes every channel. */
    public void close() {
        for (final Node node : nodes.values()) {
            if (node.channel() != null) {
                node.channel().close();
            }
        }
    }
}
