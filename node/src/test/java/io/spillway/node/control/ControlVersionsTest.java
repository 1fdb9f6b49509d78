// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.host.UserSocket;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.version.VersionRange;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both ends of the control protocol where they speak different ranges of versions. */
@Timeout(60)
class ControlVersionsTest {
    private static final VersionRange OURS = ControlFrameType.VERSIONS;
    private static final VersionRange NEXT = new VersionRange(OURS.oldest(), OURS.newest() + 1);
    private static final VersionRange AFTER_NEXT =
            new VersionRange(OURS.newest() + 1, OURS.newest() + 2);
    private static final TransportOffer OFFER =
            new TransportOffer("ucx", new NodeAddress("localhost", 7));

    @TempDir private Path folder;

    private final Queue<String> served = new ConcurrentLinkedQueue<>();
    private Path path;
    private ServerSocketChannel listener;

    @BeforeEach
    void listen() throws IOException {
        path = folder.resolve("node.sock");
        listener = UserSocket.bind(path);
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    /** A node process: it answers what the protocol says, in the versions that it speaks. */
    private void serve(final VersionRange spoken) {
        final Thread thread =
                new Thread(
                        () -> {
                            try {
                                while (true) {
                                    serveOne(spoken);
                                }
                            } catch (final IOException e) {
                                served.add("closed");
                            }
                        },
                        "node");
        thread.setDaemon(true);
        thread.start();
    }

    private void serveOne(final VersionRange spoken) throws IOException {
        try (ControlChannel channel = ControlChannel.of(listener.accept(), spoken)) {
            try {
                answer(channel);
            } catch (final EOFException e) {
                served.add("end");
            } catch (final MalformedFrameException e) {
                channel.send(new NodeRefusal(e.getMessage()).encode(), 1000);
                served.add("refused " + channel.version());
            }
        }
    }

    private void answer(final ControlChannel channel) throws IOException {
        while (true) {
            final ControlFrame frame = channel.receive(10_000);
            served.add(frame.type() + " " + channel.version());
            switch (frame.type()) {
                case HELLO -> channel.send(new NodeWelcome(1, 2, List.of(OFFER)).encode(), 1000);
                case PING -> channel.send(ControlFrameType.PONG.encodeEmpty(), 1000);
                case STATUS -> channel.send(new StatusReply("{}").encode(), 1000);
                default -> {}
            }
        }
    }

    private void link(final VersionRange spoken) throws InterruptedException {
        final ManagerHello hello =
                new ManagerHello("nm", new NodeAddress("localhost", 8), List.of(), List.of());
        try (ControlClient client =
                ControlClient.start(
                        path, () -> hello, List::of, ControlClient.Starter.NONE, spoken)) {
            while (client.offers().isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(client.offers()).containsExactly(OFFER);
        }
    }

    @Test
    void aHandlerOfTheNextReleaseSpeaksOurVersionWithUs() throws Exception {
        serve(OURS);
        link(NEXT);
        final int ours = OURS.newest();
        assertThat(served)
                .startsWith(
                        "refused " + ours, "HELLO " + ours, "JOBS_TOLD " + ours, "PING " + ours);
    }

    @Test
    void aNodeOfTheNextReleaseSpeaksOurVersionWithUs() throws Exception {
        serve(NEXT);
        link(OURS);
        assertThat(served).startsWith("HELLO " + OURS.newest(), "JOBS_TOLD " + OURS.newest());
    }

    @Test
    void twoOfTheNextReleaseSpeakItsVersion() throws Exception {
        serve(NEXT);
        link(NEXT);
        assertThat(served).startsWith("HELLO " + NEXT.newest(), "JOBS_TOLD " + NEXT.newest());
    }

    @Test
    void theStatusIsAskedForInTheNodesVersion() throws Exception {
        serve(OURS);
        assertThat(StatusClient.ask(path, ControlFrameType.STATUS, 10_000, NEXT)).isEqualTo("{}");
        assertThat(served).startsWith("refused " + OURS.newest(), "STATUS " + OURS.newest());
    }

    /** Two releases apart: the refusal is of a version that this side cannot read. */
    @Test
    void twoReleasesApartDoNotSpeakAndSaySo() {
        serve(AFTER_NEXT);
        assertThatThrownBy(() -> StatusClient.ask(path))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("REFUSED frame: version=" + AFTER_NEXT.newest());
    }

    @Test
    void noFrameOfAConnectionIsOfAnotherVersion() throws Exception {
        serve(NEXT);
        try (ControlChannel channel = ControlSocket.connect(path, NEXT)) {
            channel.send(ControlFrameType.STATUS.encodeEmpty(), 1000);
            assertThat(channel.receive(10_000).type()).isEqualTo(ControlFrameType.STATUS_REPORT);
            assertThat(channel.version()).isEqualTo(NEXT.newest());
            assertThat(channel.isOlderPeer()).isFalse();
        }
    }
}
