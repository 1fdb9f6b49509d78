// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.store.SpillFile;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.Lease;
import io.spillway.store.tier.Tier;
import io.spillway.transport.JobCredentials;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one task attempt on a node of another user. The node creates, owns and counts them;
 * the task writes and reads them by descriptors. When the connection ends the node deletes the
 * uncommitted ones. Thread-safe.
 */
public final class DescriptorLease implements Lease {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorLease.class);

    private final DescriptorChannel node;
    private final List<Lent> open = new ArrayList<>();

    private DescriptorLease(final DescriptorChannel node) {
        this.node = node;
    }

    /**
     * Connects to a node. Task and node prove to each other that they know the job's secret.
     *
     * @param socket of the node
     * @param nodeUid the number of the node's user
     * @param attempt of the job
     * @throws IOException where that fails; the message has the reason
     */
    public static DescriptorLease open(
            final Path socket,
            final int nodeUid,
            final JobCredentials credentials,
            final String attempt,
            final Tier tier)
            throws IOException {
        final DescriptorChannel node = DescriptorChannel.connect(socket, nodeUid);
        try {
            prove(node, credentials, attempt, tier);
            return new DescriptorLease(node);
        } catch (final IOException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private static void prove(
            final DescriptorChannel node,
            final JobCredentials credentials,
            final String attempt,
            final Tier tier)
            throws IOException {
        final byte[] nonce = new byte[TaskProof.NONCE_LENGTH];
        new SecureRandom().nextBytes(nonce);
        final DescriptorMessage hello =
                new DescriptorMessage(
                        DescriptorFrame.HELLO, tier.code(), credentials.jobId(), attempt, nonce);
        final byte[] challenge = expect(node.ask(hello), DescriptorFrame.CHALLENGE).block();
        final TaskProof proof = new TaskProof(hello, challenge);
        final byte[] secret = credentials.secret();
        final DescriptorMessage welcome =
                expect(
                        node.ask(DescriptorMessage.of(DescriptorFrame.PROOF, proof.ofTask(secret))),
                        DescriptorFrame.WELCOME);
        if (!TaskProof.matches(proof.ofNode(secret), welcome.block())) {
            throw new IOException("the node's proof for " + credentials.jobId() + " is wrong");
        }
    }

    private static DescriptorMessage expect(
            final DescriptorMessage answer, final DescriptorFrame kind) throws IOException {
        if (answer.kind() == DescriptorFrame.FULL) {
            throw new StoreFullException(answer.text());
        }
        if (answer.kind() != kind) {
            throw new IOException("the node answers " + answer.kind() + ": " + answer.text());
        }
        return answer;
    }

    @Override
    public SpillFile open(final String name, final long expectedBytes) throws IOException {
        final long bytes = Math.max(0, expectedBytes);
        final Lent file;
        synchronized (node) {
            final DescriptorMessage granted =
                    expect(
                            node.ask(DescriptorMessage.of(DescriptorFrame.OPEN, bytes, name)),
                            DescriptorFrame.GRANTED);
            file = new Lent(name, take(), Path.of(granted.text()), bytes);
        }
        synchronized (open) {
            open.add(file);
        }
        return file;
    }

    /** Closes the connection on failure, because the node then expects another message. */
    private RandomAccessFile take() throws IOException {
        try {
            final RandomAccessFile data = node.take();
            expect(node.ask(DescriptorMessage.of(DescriptorFrame.TAKEN)), DescriptorFrame.DONE);
            return data;
        } catch (final IOException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /**
     * Needs no node where nothing is left: one that was started again does not know the attempt.
     */
    @Override
    public void commit() throws IOException {
        if (left().isEmpty()) {
            return;
        }
        expect(node.ask(DescriptorMessage.of(DescriptorFrame.COMMIT)), DescriptorFrame.DONE);
        for (final Lent file : left()) {
            file.keep();
        }
    }

    private List<Lent> left() {
        synchronized (open) {
            return List.copyOf(open);
        }
    }

    /** Waits until the node has deleted uncommitted files: the attempt may connect again. */
    @Override
    public void close() {
        try {
            node.ask(DescriptorMessage.of(DescriptorFrame.CLOSE));
        } catch (final IOException e) {
            LOG.debug("The node takes the files back when it sees the connection's end", e);
        }
        node.close();
        for (final Lent file : left()) {
            file.keep();
        }
    }

    private final class Lent implements SpillFile {
        private final String name;
        private final RandomAccessFile data;
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile Path path;
        private long granted;

        Lent(final String name, final RandomAccessFile data, final Path path, final long granted) {
            this.name = name;
            this.data = data;
            this.path = path;
            this.granted = granted;
        }

        @Override
        public RandomAccessFile data() {
            return data;
        }

        @Override
        public void reserve(final long length) throws IOException {
            if (length > granted) {
                granted =
                        expect(
                                        node.ask(
                                                DescriptorMessage.of(
                                                        DescriptorFrame.GROW, length, name)),
                                        DescriptorFrame.GRANTED)
                                .number();
            }
        }

        @Override
        public void complete(final long length) throws IOException {
            path =
                    Path.of(
                            expect(
                                            node.ask(
                                                    DescriptorMessage.of(
                                                            DescriptorFrame.COMPLETE,
                                                            length,
                                                            name)),
                                            DescriptorFrame.DONE)
                                    .text());
        }

        @Override
        public Optional<Path> path() {
            return Optional.of(path);
        }

        @Override
        public void close() {
            if (!keep()) {
                return;
            }
            try {
                expect(
                        node.ask(DescriptorMessage.of(DescriptorFrame.DELETE, 0, name)),
                        DescriptorFrame.DONE);
            } catch (final IOException e) {
                LOG.debug("{} is deleted when the connection or the job ends", path, e);
            }
        }

        /**
         * Closes the descriptor and leaves the file to the node; false where it was closed before.
         */
        boolean keep() {
            if (!closed.compareAndSet(false, true)) {
                return false;
            }
            synchronized (open) {
                open.remove(this);
            }
            try {
                data.close();
            } catch (final IOException e) {
                LOG.debug("Closing {} failed", path, e);
            }
            return true;
        }
    }
}
