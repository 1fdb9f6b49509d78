// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.frame.MalformedFrameException;
import io.spillway.node.FileOwners;
import io.spillway.node.control.ControlChannel;
import io.spillway.node.control.ControlFrame;
import io.spillway.node.control.ControlFrameType;
import io.spillway.node.control.JobEvent;
import io.spillway.node.control.JobNotice;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.control.NodeRefusal;
import io.spillway.node.control.NodeWelcome;
import io.spillway.node.control.StatusReply;
import io.spillway.node.control.StatusSource;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one control connection on its own thread, until its end. What it sends ends at most this
 * connection, with one line in the log.
 */
final class ControlSession implements NodeManagers.Owner, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlSession.class);

    /** A handler pings every ten seconds. */
    private static final long SILENCE_MILLIS = 60_000;

    private static final long SEND_MILLIS = 10_000;

    private final ControlChannel channel;
    private final NodeManagers managers;
    private final NodeWelcome welcome;
    private final StatusSource status;
    private final Drain drain;
    private final Consumer<String> warnings;

    /** Which NodeManager said hello; null until then. */
    private String manager;

    ControlSession(
            final ControlChannel channel,
            final NodeManagers managers,
            final NodeWelcome welcome,
            final StatusSource status,
            final Drain drain,
            final Consumer<String> warnings) {
        this.channel = channel;
        this.managers = managers;
        this.welcome = welcome;
        this.status = status;
        this.drain = drain;
        this.warnings = warnings;
    }

    /** Serves until the connection ends; never throws for what the peer does. */
    void serve() {
        try {
            while (channel.isOpen()) {
                final ControlFrame frame = channel.receive(SILENCE_MILLIS);
                if (frame == null) {
                    throw new IOException("nothing came for " + SILENCE_MILLIS + " ms");
                }
                answer(frame);
            }
        } catch (final EOFException e) {
            LOG.debug("The control connection of {} has ended", peer(), e);
        } catch (final MalformedFrameException e) {
            warnings.accept("Closing the control connection of " + peer() + ": " + e.getMessage());
            refuse(e.getMessage());
        } catch (final IOException e) {
            if (channel.isOpen()) {
                warnings.accept("The control connection of " + peer() + " broke: " + e);
            }
        } catch (final RuntimeException e) {
            warnings.accept("Closing the control connection of " + peer() + ": " + e);
            LOG.debug("The control connection of {} failed", peer(), e);
        } finally {
            if (manager != null) {
                managers.disconnect(manager, this);
            }
        }
    }

    private String peer() {
        return manager == null ? "a process of this user" : manager;
    }

    private void refuse(final String reason) {
        try {
            channel.send(new NodeRefusal(reason).encode(), SEND_MILLIS);
        } catch (final IOException e) {
            LOG.debug("The peer cannot be told", e);
        }
    }

    private void answer(final ControlFrame frame) throws IOException {
        switch (frame.type()) {
            case STATUS -> sendStatus();
            case CLUSTER -> onCluster();
            case DRAIN -> onDrain(true);
            case DRAIN_CANCEL -> onDrain(false);
            case HELLO -> onHello(ManagerHello.decode(frame.body()));
            case PING -> channel.send(ControlFrameType.PONG.encodeEmpty(), SEND_MILLIS);
            case JOB -> managers.begin(requireManager(frame), this, JobNotice.decode(frame.body()));
            case JOBS_TOLD -> managers.toldAll(requireManager(frame), this);
            case JOB_ENDED ->
                    managers.end(requireManager(frame), this, JobEvent.decode(frame).jobId());
            case TASK_ENDED ->
                    managers.taskEnded(requireManager(frame), this, JobEvent.decode(frame).jobId());
            default -> throw unexpected(frame);
        }
    }

    private void sendStatus() throws IOException {
        channel.send(new StatusReply(status.ofNode()).encode(), SEND_MILLIS);
    }

    private void onDrain(final boolean isDraining) throws IOException {
        try {
            drain.set(isDraining);
        } catch (final IOException e) {
            LOG.warn("Cannot change the file that marks the node process as drained", e);
            refuse(e.toString());
            return;
        }
        sendStatus();
    }

    /** A refusal is the answer, and not the end of the connection. */
    private void onCluster() throws IOException {
        final String json;
        try {
            json = status.ofCluster();
        } catch (final IOException | IllegalArgumentException e) {
            LOG.debug("The status of the cluster cannot be had", e);
            refuse(e.getMessage());
            return;
        }
        channel.send(new StatusReply(json).encode(), SEND_MILLIS);
    }

    private void onHello(final ManagerHello hello) throws IOException {
        if (manager != null) {
            throw new MalformedFrameException("HELLO frame: not expected twice");
        }
        final Optional<String> obstacle = FileOwners.obstacle();
        if (obstacle.isPresent()) {
            refuse(obstacle.get());
            return;
        }
        manager = hello.manager();
        managers.connect(hello, this);
        LOG.info(
                "The handler of {} at {} is connected: local directories {}, stores {}",
                manager,
                hello.shuffle(),
                hello.localDirs(),
                hello.stores());
        channel.send(welcome.encode(), SEND_MILLIS);
    }

    private String requireManager(final ControlFrame frame) throws MalformedFrameException {
        if (manager == null) {
            throw unexpected(frame);
        }
        return manager;
    }

    private MalformedFrameException unexpected(final ControlFrame frame) {
        return new MalformedFrameException(
                frame.type()
                        + " frame: not expected "
                        + (manager == null ? "before HELLO" : "from a handler"));
    }

    @Override
    public void replaced() {
        close();
    }

    /** Any thread. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.debug("Closing a control connection failed", e);
        }
    }
}
