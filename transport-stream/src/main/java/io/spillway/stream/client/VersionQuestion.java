// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.spillway.frame.FrameHeader;
import io.spillway.stream.frame.SocketAddresses;
import io.spillway.version.VersionRange;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks a port which versions of the wire protocol it speaks, by the first frame of a hand-shake
 * that is not gone on with. Needs no secret: a node answers for a job that it does not know as for
 * any other. Blocks; thread-safe.
 */
public final class VersionQuestion {
    private static final String JOB = "version-question";
    private static final String HTTP = "HTTP/";

    private VersionQuestion() {}

    /**
     * Asks.
     *
     * @param timeout for connecting, and for the answer
     * @return the versions; of a node that says no more, the one that it answers in; nothing where
     *     a stock handler answers
     * @throws IOException when nobody answers, or somebody else does
     */
    public static Optional<VersionRange> ask(
            final InetSocketAddress address, final Duration timeout) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) timeout.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            socket.getOutputStream().write(hello(SocketAddresses.textOf(address)));
            return answer(new DataInputStream(socket.getInputStream()));
        }
    }

    private static byte[] hello(final String dialled) {
        final HelloFrame hello =
                new HelloFrame(Nonce.random(new SecureRandom()), FrameType.VERSIONS, dialled, JOB);
        final ByteBuffer out = ByteBuffer.allocate(HelloFrame.MAX_LENGTH);
        hello.encode(out, HelloFrame.layoutFor(FrameType.VERSIONS));
        final byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    private static Optional<VersionRange> answer(final DataInputStream in) throws IOException {
        final byte[] bytes = new byte[FrameHeader.LENGTH];
        in.readFully(bytes);
        if (new String(bytes, StandardCharsets.ISO_8859_1).startsWith(HTTP)) {
            return Optional.empty();
        }
        final FrameHeader<FrameType> header =
                FrameType.header(
                        ByteBuffer.wrap(bytes),
                        new VersionRange(FrameType.V12, VersionRange.MAX_VERSION));
        if (header.type() != FrameType.CHALLENGE) {
            return Optional.of(VersionRange.only(header.version()));
        }
        final byte[] body = new byte[header.bodyLength()];
        in.readFully(body);
        return Optional.of(
                ChallengeFrame.decode(ByteBuffer.wrap(body), header.version()).versions());
    }
}
