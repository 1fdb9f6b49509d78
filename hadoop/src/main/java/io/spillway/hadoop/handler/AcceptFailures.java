// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Predicate;

/**
 * The last handler of the channel that accepts connections to the shared port. Netty waits for a
 * second after a connection could not be accepted, tries again, and logs each failure with its
 * stack trace. Where descriptors are missing, some are freed and one line says so instead.
 */
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private final Predicate<Throwable> shortage;

    /**
     * Creates the handler.
     *
     * @param shortage frees descriptors where they are what is missing; whether that is so
     */
    AcceptFailures(final Predicate<Throwable> shortage) {
        super();
        this.shortage = shortage;
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        if (!shortage.test(cause)) {
            context.fireExceptionCaught(cause);
        }
    }
}
