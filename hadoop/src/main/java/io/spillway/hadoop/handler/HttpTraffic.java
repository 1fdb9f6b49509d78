// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.stream.ChunkedInput;
import io.spillway.hadoop.job.HttpAgent;
import io.spillway.protocol.ServerCounters;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.serve.ServerStats.Source;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the stock handler serves on the port that Spillway shares with it. Thread-safe. */
final class HttpTraffic {
    private static final int FIRST_ERROR = 400;

    private final ServerCounters counters = new ServerCounters();
    private final LongAdder fallbacks = new LongAdder();
    private final AtomicInteger open = new AtomicInteger();

    /** What counts one connection; to be put before stock's own handler. */
    ChannelHandler newConnection() {
        return new Connection();
    }

    /**
     * What was served. Stock refuses connections before it hands them on, and does not say where
     * the bytes of a map output are.
     */
    ServerStats stats() {
        final ServerStats all = counters.stats(open.get());
        return new ServerStats(
                all.connections(),
                all.accepted(),
                Map.of(),
                all.requests(),
                all.failures(),
                Map.of(Source.UNKNOWN, all.bytes()));
    }

    /** Requests of reducers of Spillway. */
    long fallbacks() {
        return fallbacks.sum();
    }

    /** On the connection's event loop. */
    private final class Connection extends ChannelDuplexHandler {
        private boolean counted;

        @Override
        public void channelRead(final ChannelHandlerContext ctx, final Object message)
                throws Exception {
            if (message instanceof HttpRequest request) {
                enter();
                if (HttpAgent.VALUE.equals(request.headers().get(HttpAgent.HEADER))) {
                    fallbacks.increment();
                }
            }
            super.channelRead(ctx, message);
        }

        private void enter() {
            if (!counted) {
                counted = true;
                counters.addAccepted();
                open.incrementAndGet();
            }
        }

        @Override
        public void write(
                final ChannelHandlerContext ctx, final Object message, final ChannelPromise promise)
                throws Exception {
            if (message instanceof HttpResponse response) {
                count(response);
            }
            final long length = lengthOf(message);
            if (length > 0) {
                super.write(
                        ctx,
                        message,
                        promise.unvoid()
                                .addListener(
                                        written -> {
                                            if (written.isSuccess()) {
                                                counters.addBytes(Source.UNKNOWN, length);
                                            }
                                        }));
                return;
            }
            super.write(ctx, message, promise);
        }

        /** Of map output: a region of a file, or under TLS chunks of it. */
        private static long lengthOf(final Object message) {
            if (message instanceof FileRegion region) {
                return region.count();
            }
            return message instanceof ChunkedInput<?> chunks ? chunks.length() : 0;
        }

        private void count(final HttpResponse response) {
            if (response.status().code() >= FIRST_ERROR) {
                counters.addFailure();
            } else {
                counters.addRequest();
            }
        }

        /** Also at the end of the connection. */
        @Override
        public void handlerRemoved(final ChannelHandlerContext ctx) {
            if (counted) {
                counted = false;
                open.decrementAndGet();
            }
        }
    }
}
