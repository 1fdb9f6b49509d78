// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;

/**
 * A JVM in which one worker sends another one messages of ids that have no handler, and then one
 * that has.
 */
final class UnknownMessagesMain {
    private static final int IDS = 1 << 16;
    private static final int LENGTH = 14;

    private UnknownMessagesMain() {}

    public static void main(final String[] arguments) throws Exception {
        final UcxThread receiver = newThread("receiver");
        final CountDownLatch received = new CountDownLatch(1);
        receiver.worker()
                .setAmRecvHandler(
                        Link.MESSAGE,
                        (header, length, data, replyTo) -> {
                            received.countDown();
                            return 0;
                        });
        receiver.start(() -> {}, () -> {});
        final UcxThread sender = newThread("sender");
        sender.start(() -> {}, () -> {});

        final CompletableFuture<Void> sent = new CompletableFuture<>();
        sender.execute(
                () -> {
                    send(sender, receiver.workerAddress());
                    sent.complete(null);
                });
        sent.get(20, TimeUnit.SECONDS);
        final boolean alive = received.await(20, TimeUnit.SECONDS);
        System.out.println(alive ? "RECEIVED" : "nothing received");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static UcxThread newThread(final String name) throws Exception {
        return new UcxThread(name, UcxSettings.from(key -> null), DirectMemory.SYSTEM);
    }

    private static void send(final UcxThread sender, final ByteBuffer address) {
        final ByteBuffer direct =
                ByteBuffer.allocateDirect(address.remaining()).put(address).flip();
        final UcpEndpoint endpoint =
                sender.worker().newEndpoint(new UcpEndpointParams().setUcpAddress(direct));
        final ByteBuffer header = ByteBuffer.allocateDirect(LENGTH);
        for (int id = 0; id < IDS; id += id < 100 ? 1 : 499) {
            if (id != Link.MESSAGE) {
                send(endpoint, id, header);
            }
        }
        send(endpoint, Link.MESSAGE, header);
    }

    private static void send(final UcpEndpoint endpoint, final int id, final ByteBuffer header) {
        endpoint.sendAmNonBlocking(
                id,
                UcxUtils.getAddress(header),
                LENGTH,
                0,
                0,
                UcpConstants.UCP_AM_SEND_FLAG_EAGER,
                new UcxCallback() {});
    }
}
