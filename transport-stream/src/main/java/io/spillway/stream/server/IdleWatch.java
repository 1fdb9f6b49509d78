// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.channel.ChannelHandlerContext;
import io.spillway.stream.frame.Frames;
import io.spillway.wire.FrameType;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Tells whether a client is still there: pings one that is silent, and gives it up when it stays
 * so. Used by the channel's event loop.
 */
final class IdleWatch {
    private static final int CHECKS_PER_TIMEOUT = 8;

    private final ChannelHandlerContext ctx;
    private final long timeoutMillis;
    private final Consumer<String> drop;
    private long lastActivityNanos = System.nanoTime();
    private boolean heartbeatQueued;
    private int version;

    /** One pong answers all pings that one read brought. */
    private boolean pongDue;

    /**
     * Creates the watch.
     *
     * @param timeoutMillis without a byte, after which the client counts as lost
     * @param drop ends the connection, for a reason
     */
    IdleWatch(
            final ChannelHandlerContext ctx,
            final long timeoutMillis,
            final Consumer<String> drop) {
        this.ctx = ctx;
        this.timeoutMillis = timeoutMillis;
        this.drop = drop;
    }

    /** Both sides have agreed on a version, before the first {@link #check}. */
    void speak(final int session) {
        version = session;
    }

    /** How often to {@link #check}. */
    long periodMillis() {
        return Math.max(1, timeoutMillis / CHECKS_PER_TIMEOUT);
    }

    /** A byte came, or left. */
    void active() {
        lastActivityNanos = System.nanoTime();
    }

    void check() {
        final long idleMillis =
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastActivityNanos);
        if (idleMillis >= timeoutMillis) {
            drop.accept("no byte from or to it for " + idleMillis + " ms");
        } else if (idleMillis >= timeoutMillis / 2) {
            send(FrameType.PING);
        }
    }

    void pinged() {
        pongDue = true;
    }

    /** All that came is read. */
    void answerPings() {
        if (pongDue) {
            pongDue = false;
            send(FrameType.PONG);
        }
    }

    /** At most one waits to go out, so that a client that never reads cannot make us queue more. */
    private void send(final FrameType type) {
        if (heartbeatQueued) {
            return;
        }
        heartbeatQueued = true;
        ctx.writeAndFlush(Frames.encode(ctx.alloc(), version, type))
                .addListener(future -> heartbeatQueued = false);
    }
}
