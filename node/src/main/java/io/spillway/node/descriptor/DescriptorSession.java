// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.spillway.frame.MalformedFrameException;
import io.spillway.node.descriptor.DescriptorServer.LentTier;
import io.spillway.store.FreeSpace;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.LentFiles;
import io.spillway.store.tier.Tiers;
import io.spillway.stream.frame.Outbound;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task's connection. Used by one worker of the server, except where noted. */
final class DescriptorSession extends SimpleChannelInboundHandler<ByteBuf> {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorSession.class);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final long PROOF_SECONDS = 10;

    /** One answer for all cases, so that it does not reveal which jobs exist. */
    private static final String NOT_PROVED =
            "the job is not known here, or the proof is of another secret, or its tasks run as"
                    + " another user";

    /** An operation on files. */
    @FunctionalInterface
    private interface Operation<T> {
        T run() throws IOException;
    }

    private final DescriptorServer server;
    private volatile ChannelHandlerContext context;
    private int uid;
    private boolean isSettled;
    private TaskProof proof;

    /** Null until the task has proved itself. */
    private volatile String jobId;

    private LentTier tier;
    private LentFiles files;

    /** The file whose descriptor the task is about to get; null where there is none. */
    private Path passing;

    private String passingName;

    DescriptorSession(final DescriptorServer server) {
        super();
        this.server = server;
    }

    @Override
    public void channelActive(final ChannelHandlerContext ctx) throws IOException {
        uid = ((EpollDomainSocketChannel) ctx.channel()).peerCredentials().uid();
        context = ctx;
        if (!server.admit(uid)) {
            refuse("too many connections of user " + uid);
            return;
        }
        ctx.read();
        final Future<?> unused =
                ctx.executor().schedule(this::requireProof, PROOF_SECONDS, TimeUnit.SECONDS);
    }

    private void requireProof() {
        if (jobId == null && context.channel().isActive()) {
            refuse("no proof within " + PROOF_SECONDS + " s");
        }
    }

    private void refuse(final String reason) {
        server.warnings().warn("Refusing a task of user " + uid + ": " + reason);
        context.writeAndFlush(DescriptorMessage.answer(DescriptorFrame.REFUSED, 0, reason).encode())
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void send(final DescriptorMessage message) {
        context.writeAndFlush(message.encode()).addListener(sent -> context.read());
    }

    @Override
    protected void channelRead0(final ChannelHandlerContext ctx, final ByteBuf message)
            throws IOException {
        final DescriptorMessage asked = DescriptorMessage.decode(message);
        if (files != null) {
            serve(asked);
        } else if (asked.kind() == DescriptorFrame.HELLO && proof == null) {
            challenge(asked);
        } else if (asked.kind() == DescriptorFrame.PROOF && proof != null) {
            prove(asked);
        } else {
            throw unexpected(asked);
        }
    }

    private static MalformedFrameException unexpected(final DescriptorMessage message) {
        return new MalformedFrameException(message.kind() + " frame: not expected here");
    }

    // ---- who asks ------------------------------------------------------------------------------

    private void challenge(final DescriptorMessage hello) throws MalformedFrameException {
        if (hello.block().length != TaskProof.NONCE_LENGTH) {
            throw unexpected(hello);
        }
        final byte[] nonce = new byte[TaskProof.NONCE_LENGTH];
        RANDOM.nextBytes(nonce);
        proof = new TaskProof(hello, nonce);
        send(DescriptorMessage.of(DescriptorFrame.CHALLENGE, nonce));
    }

    private void prove(final DescriptorMessage answer) throws IOException {
        final DescriptorMessage hello = proof.hello();
        final byte[] secret = server.jobs().secretOf(hello.name());
        final String user = isProved(secret, answer.block()) ? userOfAttempt() : null;
        if (user == null) {
            refuse(NOT_PROVED);
            return;
        }
        final LentTier asked = server.tier(Tiers.ofCode((int) hello.number()).label());
        if (asked == null) {
            refuse("this node offers no tier of code " + hello.number());
            return;
        }
        settle();
        try {
            begin(asked, user);
        } catch (final IOException e) {
            refuse(e.getMessage());
            return;
        }
        send(DescriptorMessage.of(DescriptorFrame.WELCOME, proof.ofNode(secret)));
    }

    private boolean isProved(final byte[] secret, final byte[] answer) {
        return secret != null
                && secret.length > 0
                && TaskProof.matches(proof.ofTask(secret), answer);
    }

    /** The job's user; null where the task is another user's, or its attempt is not the job's. */
    private String userOfAttempt() {
        final DescriptorMessage hello = proof.hello();
        final String user = server.jobs().userOf(hello.name());
        return user != null
                        && server.jobs().uidOf(user).orElse(-1) == uid
                        && server.jobs().isAttemptOf(hello.name(), hello.text())
                ? user
                : null;
    }

    private void begin(final LentTier asked, final String user) throws IOException {
        final String job = proof.hello().name();
        final String application = server.jobs().applicationOf(job);
        final FilePool folder = asked.files().get();
        tier = asked;
        jobId = job;
        server.add(this);
        tier.quota().begin(job, user, folder.lentBytes(application));
        requireRunning();
        files =
                folder.lend(
                        application,
                        proof.hello().text(),
                        new FreeSpace(folder.root(), asked.reserve()));
    }

    /** The job may have ended before the quota counted the task. */
    private void requireRunning() throws IOException {
        if (server.jobs().userOf(jobId) == null) {
            tier.quota().end(jobId);
            throw new IOException(jobId + " has ended");
        }
    }

    /** Whether this connection is of a job's task. Any thread. */
    boolean isOf(final String job) {
        return job.equals(jobId);
    }

    /** Ends the connection. Any thread. */
    void end() {
        Outbound.close(context);
    }

    // ---- files ---------------------------------------------------------------------------------

    private void serve(final DescriptorMessage asked) throws IOException {
        final boolean isPassed =
                asked.kind() == DescriptorFrame.TAKE || asked.kind() == DescriptorFrame.TAKEN;
        if (isPassed != (passing != null)) {
            throw unexpected(asked);
        }
        if (asked.kind() == DescriptorFrame.TAKE) {
            pass();
            return;
        }
        try {
            send(answer(asked));
        } catch (final StoreFullException e) {
            send(DescriptorMessage.answer(DescriptorFrame.FULL, 0, e.getMessage()));
        } catch (final MalformedFrameException e) {
            throw e;
        } catch (final IOException e) {
            LOG.debug("{} of {} failed", asked.kind(), jobId, e);
            send(DescriptorMessage.answer(DescriptorFrame.FAILED, 0, e.toString()));
        }
    }

    private DescriptorMessage answer(final DescriptorMessage asked) throws IOException {
        final String name = asked.name();
        return switch (asked.kind()) {
            case OPEN -> open(name, asked.number());
            case TAKEN -> taken();
            case GROW -> {
                final long more = Math.max(0, asked.number() - files.grantedTo(name));
                yield granted(charged(more, () -> files.grow(name, asked.number())), "");
            }
            case COMPLETE ->
                    done(charged(0, () -> files.complete(name, asked.number())).toString());
            case DELETE -> {
                charged(
                        0,
                        () -> {
                            files.delete(name);
                            return name;
                        });
                yield done("");
            }
            case COMMIT -> {
                files.commit();
                yield done("");
            }
            case CLOSE -> {
                close();
                yield done("");
            }
            default -> throw unexpected(asked);
        };
    }

    private static DescriptorMessage done(final String path) {
        return DescriptorMessage.answer(DescriptorFrame.DONE, 0, path);
    }

    private static DescriptorMessage granted(final long bytes, final String path) {
        return DescriptorMessage.answer(DescriptorFrame.GRANTED, bytes, path);
    }

    /** Reserves bytes of the user's quota, then corrects it by the bytes really used. */
    private <T> T charged(final long more, final Operation<T> operation) throws IOException {
        tier.quota().take(jobId, more);
        final long before = files.bytes();
        try {
            return operation.run();
        } finally {
            tier.quota().change(jobId, files.bytes() - before - more);
        }
    }

    private DescriptorMessage open(final String name, final long bytes) throws IOException {
        final Path file = charged(Math.max(0, bytes), () -> files.open(name, bytes));
        passing = file;
        passingName = name;
        return granted(bytes, file.toString());
    }

    /** The task opens the file once more by the descriptor, for reading as well. */
    private void pass() throws IOException {
        final FileDescriptor descriptor = FileDescriptor.from(passing.toFile());
        context.writeAndFlush(descriptor)
                .addListener(
                        sent -> {
                            descriptor.close();
                            if (sent.isSuccess()) {
                                context.read();
                            } else {
                                Outbound.close(context);
                            }
                        });
    }

    private DescriptorMessage taken() throws IOException {
        passing = null;
        files.shut(passingName);
        return done("");
    }

    // ---- the end -------------------------------------------------------------------------------

    private void settle() {
        if (!isSettled) {
            isSettled = true;
            server.settled(uid);
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext ctx) {
        if (context != null) {
            settle();
            server.ended(uid);
        }
        server.remove(this);
        if (files != null) {
            close();
        }
    }

    private void close() {
        final long before = files.bytes();
        files.close();
        tier.quota().change(jobId, files.bytes() - before);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext ctx, final Throwable cause) {
        server.warnings().warn("The connection of a task of user " + uid + " ends: " + cause);
        LOG.debug("A task's connection ends", cause);
        Outbound.close(ctx);
    }
}
