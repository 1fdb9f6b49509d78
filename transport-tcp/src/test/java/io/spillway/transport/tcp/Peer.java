package io.spillway.transport.tcp;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.TestSegments;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.fetch.FetchFrame;
import io.spillway.wire.handshake.AuthFrame;
import io.spillway.wire.handshake.ChallengeFrame;
import io.spillway.wire.handshake.HelloFrame;
import io.spillway.wire.handshake.Nonce;
import io.spillway.wire.handshake.Proof;
import io.spillway.wire.handshake.WelcomeFrame;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.Consumer;

/** One end of a connection, frame by frame, on a plain blocking socket. */
final class Peer implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;

    Peer(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new DataInputStream(socket.getInputStream());
    }

    static Peer connect(final NodeAddress address) throws IOException {
        return new Peer(new Socket(InetAddress.getLoopbackAddress(), address.port()));
    }

    /** A frame that was read. */
    record Frame(FrameType type, ByteBuffer body) {}

    void send(final Consumer<ByteBuffer> frame) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * FrameType.MAX_FRAME_LENGTH);
        frame.accept(bytes);
        send(bytes.array(), bytes.position());
    }

    void send(final FrameType type) throws IOException {
        send(out -> FrameHeader.encode(out, type, 0));
    }

    void send(final byte[] bytes, final int length) throws IOException {
        socket.getOutputStream().write(bytes, 0, length);
        socket.getOutputStream().flush();
    }

    void fetch(final long requestId, final int partition, final int length) throws IOException {
        send(new FetchFrame(requestId, partition, 0, 0, length, TestSegments.attempt(3))::encode);
    }

    Frame read() throws IOException {
        final byte[] header = new byte[FrameHeader.LENGTH];
        in.readFully(header);
        final FrameHeader<FrameType> decoded = FrameType.header(ByteBuffer.wrap(header));
        return new Frame(decoded.type(), ByteBuffer.wrap(readBytes(decoded.bodyLength())));
    }

    byte[] readBytes(final int count) throws IOException {
        final byte[] bytes = new byte[count];
        in.readFully(bytes);
        return bytes;
    }

    /** Reads to the end of the connection; times out when there is none. */
    boolean isClosedByPeer() throws IOException {
        try {
            in.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (final SocketException | EOFException e) {
            return true;
        }
    }

    // ---- a client ------------------------------------------------------------------------------

    /** Proves itself to a node. */
    WelcomeFrame shakeHands(final byte[] secret) throws IOException {
        final HelloFrame hello = new HelloFrame(Nonce.random(RANDOM), TestSegments.JOB);
        send(hello::encode);
        final ChallengeFrame challenge = ChallengeFrame.decode(read().body());
        send(new AuthFrame(proof(Proof.Role.CLIENT, secret, hello, challenge))::encode);
        return WelcomeFrame.decode(read().body());
    }

    private static Proof proof(
            final Proof.Role role,
            final byte[] secret,
            final HelloFrame hello,
            final ChallengeFrame challenge) {
        return Proof.of(
                role, secret, hello.nonce(), challenge.nonce(), challenge.epoch(), hello.jobId());
    }

    // ---- a node --------------------------------------------------------------------------------

    HelloFrame readHello() throws IOException {
        final int magic = in.readInt();
        if (magic != HelloFrame.MAGIC) {
            throw new IOException("magic=" + magic);
        }
        return HelloFrame.decode(read().body());
    }

    /** Lets a client prove itself, and proves itself by {@code secret}. */
    void welcome(final byte[] secret, final int credits) throws IOException {
        final HelloFrame hello = readHello();
        final ChallengeFrame challenge = new ChallengeFrame(1, Nonce.random(RANDOM));
        send(challenge::encode);
        AuthFrame.decode(read().body());
        final Proof proof = proof(Proof.Role.NODE, secret, hello, challenge);
        send(new WelcomeFrame(proof, 1 << 20, credits, "tcp")::encode);
    }

    /** Sends a client's own proof back to it. */
    void reflect() throws IOException {
        readHello();
        send(new ChallengeFrame(1, Nonce.random(RANDOM))::encode);
        final Proof proof = AuthFrame.decode(read().body()).proof();
        send(new WelcomeFrame(proof, 1 << 20, 1, "tcp")::encode);
    }

    /** The bytes that have come and were not read. */
    int available() throws IOException {
        return in.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
