// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.frame.FrameHeader;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.ucx.Ucx;
import io.spillway.wire.FrameType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;

/** The end of a link to a peer that takes nothing for a while. */
@Timeout(60)
class LinkTest {
    private static final Envelope UNKNOWN_CONNECTION = new Envelope(1, FrameType.V13);
    private static final int DATA_BYTES = 8 << 10;

    /** Some 30 MB: more than the kernel takes for a socket of the loopback. */
    private static final int MESSAGES = 4_000;

    private static final long WATCHED_SECONDS = 1;

    /** Announced, and read when the peer has memory for it. */
    private static final int LARGE_BYTES = 1 << 20;

    private final ByteBuffer large = ByteBuffer.allocateDirect(LARGE_BYTES);

    /** UCX reads it until it has sent it. */
    private final ByteBuffer data = ByteBuffer.allocateDirect(DATA_BYTES);

    private CountDownLatch peerWakes = new CountDownLatch(1);
    private UcxThread own;
    private UcxThread peer;
    private Link link;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @BeforeEach
    void connectOverTcp() throws Exception {
        connect("tcp");
    }

    private void connect(final String tls) throws Exception {
        peerWakes = new CountDownLatch(1);
        own = start("own", tls);
        peer = start("peer", tls);
        final ByteBuffer address = peer.workerAddress();
        final CompletableFuture<Boolean> sent = new CompletableFuture<>();
        own.execute(
                () -> {
                    link = new Link(own, address, PathSeal.NONE, (status, why) -> {});
                    link.send(UNKNOWN_CONNECTION, FrameType.PING, sent::complete);
                });
        assertThat(sent.get(10, TimeUnit.SECONDS)).as("a message goes").isTrue();
    }

    private static UcxThread start(final String name, final String tls) throws Exception {
        final UcxSettings settings = UcxSettings.from(Map.of("spillway.ucx.tls", tls)::get);
        final UcxThread thread = new UcxThread(name, settings, DirectMemory.SYSTEM);
        thread.start(() -> {}, () -> {});
        return thread;
    }

    @AfterEach
    void endThreads() {
        peerWakes.countDown();
        own.close();
        peer.close();
    }

    @Test
    void aSocketThatIsFullKeepsTheEndpointUntilThePeerTakesWhatWasSent() throws Exception {
        peer.execute(this::sleepUntilWoken);
        final CompletableFuture<Boolean> ended = new CompletableFuture<>();
        own.execute(
                () -> {
                    sendMuch();
                    link.peerLeft();
                    link.close(() -> ended.complete(true));
                });

        Thread.sleep(TimeUnit.SECONDS.toMillis(WATCHED_SECONDS));
        assertThat(ended).as("the end while the socket is full").isNotDone();

        peerWakes.countDown();
        assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aSocketWithRoomKeepsNothing() throws Exception {
        final CompletableFuture<Boolean> ended = new CompletableFuture<>();
        own.execute(() -> link.close(() -> ended.complete(true)));

        assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
    }

    /** UCX reports what a forced close has cancelled after the end of the endpoint. */
    @Test
    void aMessageThatWasCancelledEndsNoOtherOne() throws Exception {
        endThreads();
        connect("auto");
        peer.execute(this::sleepUntilWoken);
        final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        final CompletableFuture<Boolean> next = new CompletableFuture<>();
        final CompletableFuture<Boolean> nextLeaves = new CompletableFuture<>();
        own.execute(
                () -> {
                    sendLarge(link, cancelled);
                    link.peerLeft();
                    link.close(
                            () -> {
                                sendLarge(
                                        new Link(
                                                own,
                                                peer.workerAddress(),
                                                PathSeal.NONE,
                                                (status, why) -> {}),
                                        next);
                                nextLeaves.complete(true);
                            });
                });
        nextLeaves.get(20, TimeUnit.SECONDS);
        assertThat(cancelled.get(20, TimeUnit.SECONDS)).as("went out").isFalse();
        Thread.sleep(TimeUnit.SECONDS.toMillis(WATCHED_SECONDS));
        assertThat(next).as("the end of a message that no one has taken").isNotDone();
    }

    /** UCX 1.13 ends the process over a version that it does not have. */
    @Test
    void anAddressOfAnotherVersionIsRefused() throws Exception {
        for (int version = 2; version < 16; version++) {
            final byte[] address = peersAddress();
            address[0] = (byte) ((address[0] & 0xF0) | version);
            assertThat(refusalOf(address)).hasMessageContaining("format " + version);
        }
        assertThat(refusalOf(new byte[0])).hasMessageContaining("empty");
    }

    /** UCX finds zeros behind it, and not what memory happens to hold. */
    @Test
    void anAddressThatIsCutShortIsRefused() throws Exception {
        final byte[] address = peersAddress();
        for (int length = 1; length < address.length / 2; length++) {
            assertThat(refusalOf(Arrays.copyOf(address, length)))
                    .as("length=" + length)
                    .isNotNull();
        }
    }

    private byte[] peersAddress() {
        final byte[] address = new byte[peer.workerAddress().remaining()];
        peer.workerAddress().get(address);
        return address;
    }

    /** Null where the address is taken. */
    private Throwable refusalOf(final byte[] address) throws Exception {
        final CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        own.execute(
                () -> {
                    try {
                        new Link(own, ByteBuffer.wrap(address), PathSeal.NONE, (status, why) -> {})
                                .close();
                        refusal.complete(null);
                    } catch (final UcxException e) {
                        refusal.complete(e);
                    }
                });
        return refusal.get(10, TimeUnit.SECONDS);
    }

    private void sendLarge(final Link over, final CompletableFuture<Boolean> sent) {
        final Message message = over.newMessage(UNKNOWN_CONNECTION);
        FrameHeader.encode(message.header(), FrameType.PING, FrameType.V13, 0);
        message.tell(sent::complete);
        over.send(message, UcxUtils.getAddress(large), LARGE_BYTES, null);
    }

    private void sleepUntilWoken() {
        try {
            peerWakes.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendMuch() {
        for (int i = 0; i < MESSAGES; i++) {
            final Message message = link.newMessage(UNKNOWN_CONNECTION);
            FrameHeader.encode(message.header(), FrameType.PING, FrameType.V13, 0);
            link.send(message, UcxUtils.getAddress(data), DATA_BYTES, null);
        }
    }
}
