// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.host.WrongUserException;
import io.spillway.thread.Backoff;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServedJob;
import io.spillway.version.VersionRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler's end of the control connection. A thread of its own connects, again and again, tells
 * the node process all jobs and then what happens to them, and has it started where that is its
 * business. No method blocks but {@link #close}, for a few seconds at most. Thread-safe.
 */
public final class ControlClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlClient.class);

    private static final long ANSWER_MILLIS = 10_000;
    private static final long PING_MILLIS = 10_000;
    private static final Backoff PAUSES = Backoff.doubling(1_000, 60_000);

    /** While a process that we have started comes up. */
    private static final long STARTING_PAUSE_MILLIS = 200;

    private static final long STOP_MILLIS = 10_000;

    /** Starts node processes; all calls come from the link's thread. */
    public interface Starter {
        /** Never starts any: somebody else does. */
        Starter NONE =
                new Starter() {
                    @Override
                    public boolean ensureRunning() {
                        return false;
                    }

                    @Override
                    public void connected() {}

                    @Override
                    public void stop() {}
                };

        /**
         * Starts a process where none runs and it is time to. Does not wait for it.
         *
         * @return whether one runs or will be started
         */
        boolean ensureRunning();

        /** Tells that a process has answered. */
        void connected();

        /** Ends the process that was started, and waits for that for a few seconds. */
        void stop();
    }

    private final Path socket;
    private final Supplier<ManagerHello> hello;
    private final Supplier<List<ServedJob>> jobs;
    private final Starter starter;
    private final VersionRange spoken;
    private final Queue<ByteBuffer> events = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = DaemonThreads.of("spillway-node-link", this::run);

    /** What the process that we are connected to offers. */
    private volatile List<TransportOffer> offers = List.of();

    /** Null while there is no connection: what happens then is sent with all jobs. */
    private volatile ControlChannel session;

    /** So that the same trouble is not logged every minute; of the link's thread. */
    private String lastTrouble = "";

    private ControlClient(
            final Path socket,
            final Supplier<ManagerHello> hello,
            final Supplier<List<ServedJob>> jobs,
            final Starter starter,
            final VersionRange spoken) {
        this.spoken = spoken;
        this.socket = Objects.requireNonNull(socket, "socket");
        this.hello = Objects.requireNonNull(hello, "hello");
        this.jobs = Objects.requireNonNull(jobs, "jobs");
        this.starter = Objects.requireNonNull(starter, "starter");
    }

    /**
     * Starts connecting.
     *
     * @param socket of the node process
     * @param hello what the NodeManager is
     * @param jobs all jobs that run now
     * @param starter starts the process
     */
    public static ControlClient start(
            final Path socket,
            final Supplier<ManagerHello> hello,
            final Supplier<List<ServedJob>> jobs,
            final Starter starter) {
        return start(socket, hello, jobs, starter, ControlFrameType.VERSIONS);
    }

    /**
     * Starts connecting.
     *
     * @param spoken the versions that this side speaks
     */
    static ControlClient start(
            final Path socket,
            final Supplier<ManagerHello> hello,
            final Supplier<List<ServedJob>> jobs,
            final Starter starter,
            final VersionRange spoken) {
        final ControlClient link = new ControlClient(socket, hello, jobs, starter, spoken);
        link.thread.start();
        return link;
    }

    /** How the node process can be fetched from; nothing while there is none. */
    public List<TransportOffer> offers() {
        return offers;
    }

    /** Tells of a job that has come. */
    public void jobBegan(final ServedJob job) {
        tell(JobNotice.encode(job));
    }

    /** Tells that a job has ended. */
    public void jobEnded(final String jobId) {
        tell(new JobEvent(ControlFrameType.JOB_ENDED, jobId).encode());
    }

    /** Tells that a task of a job has ended here. */
    public void taskEnded(final String jobId) {
        tell(new JobEvent(ControlFrameType.TASK_ENDED, jobId).encode());
    }

    private void tell(final ByteBuffer event) {
        synchronized (events) {
            if (session != null) {
                events.add(event);
                session.wakeup();
            }
        }
    }

    // ---- the link's thread ---------------------------------------------------------------------

    private void run() {
        int failures = 1;
        try {
            while (!isClosing()) {
                final boolean wasServed = connectAndServe();
                final boolean isStarting = !isClosing() && starter.ensureRunning();
                failures = wasServed || isStarting ? 1 : failures + 1;
                sleep(isStarting ? STARTING_PAUSE_MILLIS : PAUSES.after(failures));
            }
        } catch (final InterruptedException e) {
            LOG.debug("The link to the node process ends", e);
        } catch (final RuntimeException | Error e) {
            LOG.error("No more link to the node process: transports but tcp are not offered", e);
        } finally {
            forgetSession();
            starter.stop();
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private void sleep(final long millis) throws InterruptedException {
        final boolean unused = closing.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Serves one connection to its end; false when there was none. */
    private boolean connectAndServe() {
        return connectAndServe(spoken);
    }

    private boolean connectAndServe(final VersionRange asked) {
        boolean welcomed = false;
        int older = 0;
        try (ControlChannel channel = ControlSocket.connect(socket, asked)) {
            final NodeWelcome welcome = greet(channel);
            LOG.info(
                    "Connected to the node process {} at {}, epoch {}: it offers {}",
                    welcome.pid(),
                    socket,
                    welcome.epoch(),
                    welcome.offers());
            lastTrouble = "";
            welcomed = true;
            starter.connected();
            serve(channel, welcome);
        } catch (final OlderNodeException e) {
            LOG.info("The node process at {} is of a former release: {}", socket, e.getMessage());
            older = e.version();
        } catch (final IOException e) {
            ended(welcomed, e);
        } catch (final RuntimeException e) {
            LOG.error("The link to the node process at {} failed", socket, e);
        } finally {
            forgetSession();
        }
        return older == 0 ? welcomed : connectAndServe(new VersionRange(asked.oldest(), older));
    }

    private void ended(final boolean welcomed, final IOException cause) {
        if (isClosing()) {
            return;
        }
        if (welcomed) {
            LOG.warn(
                    "Lost the node process at {}, its transports are not offered now: {}",
                    socket,
                    cause.getMessage());
        } else if (isNobodyThere(cause)) {
            LOG.debug("No node process at {}", socket, cause);
        } else if (!lastTrouble.equals(cause.getMessage())) {
            lastTrouble = String.valueOf(cause.getMessage());
            LOG.warn("The node process at {} is of no use: {}", socket, lastTrouble);
        }
    }

    private static boolean isNobodyThere(final IOException cause) {
        return !(cause instanceof WrongUserException
                || cause instanceof MalformedFrameException
                || cause instanceof RefusedException
                || cause instanceof InterruptedIOException);
    }

    private void forgetSession() {
        offers = List.of();
        // In one step: what is sent in between would reach the next process after all jobs.
        synchronized (events) {
            session = null;
            events.clear();
        }
    }

    private NodeWelcome greet(final ControlChannel channel) throws IOException {
        channel.send(hello.get().encode(), ANSWER_MILLIS);
        final ControlFrame frame = receive(channel);
        return switch (frame.type()) {
            case WELCOME -> NodeWelcome.decode(frame.body());
            case REFUSED -> throw refused(channel, NodeRefusal.decode(frame.body()).message());
            default -> throw new MalformedFrameException(frame.type() + " frame: expected WELCOME");
        };
    }

    private static IOException refused(final ControlChannel channel, final String message) {
        return channel.isOlderPeer()
                ? new OlderNodeException(channel.version(), message)
                : new RefusedException(message);
    }

    /** The node does not speak the version of the hello, but an older one that this side speaks. */
    private static final class OlderNodeException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int version;

        OlderNodeException(final int version, final String message) {
            super(message);
            this.version = version;
        }

        int version() {
            return version;
        }
    }

    private static ControlFrame receive(final ControlChannel channel) throws IOException {
        final ControlFrame frame = channel.receive(ANSWER_MILLIS);
        if (frame == null) {
            throw new InterruptedIOException("no answer for " + ANSWER_MILLIS + " ms");
        }
        return frame;
    }

    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(final String message) {
            super("refused: " + message);
        }
    }

    /**
     * Sends all jobs first; earlier events are in them, and later ones wait. So the node never
     * learns of a job's end before its beginning.
     */
    private void serve(final ControlChannel channel, final NodeWelcome welcome) throws IOException {
        session = channel;
        for (final ServedJob job : jobs.get()) {
            channel.send(JobNotice.encode(job), ANSWER_MILLIS);
        }
        channel.send(ControlFrameType.JOBS_TOLD.encodeEmpty(), ANSWER_MILLIS);
        // Not before: a reducer whose job the process does not know yet would be refused.
        awaitPong(channel);
        offers = welcome.offers();
        while (!isClosing()) {
            sendEvents(channel);
            final ControlFrame frame = channel.receive(PING_MILLIS);
            if (frame != null) {
                throw new MalformedFrameException(frame.type() + " frame: none was expected");
            }
            if (events.isEmpty() && !isClosing()) {
                awaitPong(channel);
            }
        }
    }

    private void sendEvents(final ControlChannel channel) throws IOException {
        for (ByteBuffer event = events.poll(); event != null; event = events.poll()) {
            channel.send(event, ANSWER_MILLIS);
        }
    }

    /** Also waits for all that was sent before to be read. */
    private void awaitPong(final ControlChannel channel) throws IOException {
        channel.send(ControlFrameType.PING.encodeEmpty(), ANSWER_MILLIS);
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS);
        while (!isClosing()) {
            final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new InterruptedIOException("no answer for " + ANSWER_MILLIS + " ms");
            }
            final ControlFrame frame = channel.receive(left);
            if (frame != null && frame.type() != ControlFrameType.PONG) {
                throw new MalformedFrameException(frame.type() + " frame: expected PONG");
            }
            if (frame != null) {
                return;
            }
        }
        throw new EOFException("the link is closed");
    }

    /** Ends the connection, and the process that was started; waits for that for some seconds. */
    @Override
    public void close() {
        closing.countDown();
        final ControlChannel connected = session;
        if (connected != null) {
            connected.wakeup();
        }
        try {
            thread.join(STOP_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
