// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.seal.Protection;
import io.spillway.seal.RecordSeal;
import io.spillway.seal.SealKeys;
import io.spillway.seal.SessionKeys;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TestSegments;
import io.spillway.version.VersionRange;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import io.spillway.wire.Proof;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.Transcript;
import io.spillway.wire.WelcomeFrame;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One end of a connection, frame by frame, on a plain blocking socket. */
final class Peer implements AutoCloseable {
    /** The version that it speaks. */
    static final int VERSION = FrameType.V13;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PATIENCE_MILLIS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(Peer.class);

    private final Socket socket;
    private DataInputStream in;
    private RecordSeal seal;
    private int version = VERSION;

    Peer(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new DataInputStream(socket.getInputStream());
    }

    static Peer connect(final NodeAddress address) throws IOException {
        return new Peer(new Socket(InetAddress.getLoopbackAddress(), address.port()));
    }

    /** It speaks this version from now on, and names no other. */
    Peer speaking(final int another) {
        version = another;
        return this;
    }

    /** A frame that was read. */
    record Frame(FrameType type, int version, ByteBuffer body) {}

    void send(final FrameLayout frame) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * FrameType.MAX_FRAME_LENGTH);
        frame.encode(bytes, version);
        send(bytes.array(), bytes.position());
    }

    void send(final FrameType type) throws IOException {
        send((out, layout) -> FrameHeader.encode(out, type, layout, 0));
    }

    void send(final byte[] bytes, final int length) throws IOException {
        final OutputStream out = socket.getOutputStream();
        for (int start = 0; start < length && seal != null; start += RecordSeal.MAX_LENGTH) {
            final int count = Math.min(RecordSeal.MAX_LENGTH, length - start);
            final ByteBuffer record = ByteBuffer.allocate(count + RecordSeal.OVERHEAD);
            seal.seal(seal.reserve(count), ByteBuffer.wrap(bytes, start, count), record);
            out.write(record.array());
        }
        if (seal == null) {
            out.write(bytes, 0, length);
        }
        out.flush();
    }

    void fetch(final long requestId, final int partition, final int length) throws IOException {
        send(new FetchFrame(requestId, partition, 0, 0, length, TestSegments.attempt(3))::encode);
    }

    Frame read() throws IOException {
        final byte[] header = new byte[FrameHeader.LENGTH];
        in.readFully(header);
        final FrameHeader<FrameType> decoded =
                FrameType.header(ByteBuffer.wrap(header), FrameType.VERSIONS);
        return new Frame(
                decoded.type(),
                decoded.version(),
                ByteBuffer.wrap(readBytes(decoded.bodyLength())));
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
        return shakeHands(TestSegments.JOB, secret);
    }

    /** Proves itself to a node for a job. */
    WelcomeFrame shakeHands(final String job, final byte[] secret) throws IOException {
        final HelloFrame hello = ownHello(job);
        send(hello::encode);
        final ChallengeFrame challenge = readChallenge();
        final Transcript transcript = new Transcript(hello, challenge, version);
        send(transcript.auth(secret)::encode);
        final WelcomeFrame welcome = WelcomeFrame.decode(read().body());
        if (transcript.isSealed()) {
            final SessionKeys keys = transcript.keys(secret);
            seal(keys.ofClient(), keys.ofNode());
        }
        return welcome;
    }

    private void seal(final SealKeys own, final SealKeys others) {
        seal = own.records();
        in = new DataInputStream(new OpeningStream(in, others.records()));
    }

    /** What the records of a stream hold. */
    private static final class OpeningStream extends InputStream {
        private final DataInputStream records;
        private final RecordSeal seal;
        private ByteBuffer opened = ByteBuffer.allocate(0);

        OpeningStream(final DataInputStream records, final RecordSeal seal) {
            this.records = records;
            this.seal = seal;
        }

        @Override
        public int read() throws IOException {
            if (!opened.hasRemaining() && !openNext()) {
                return -1;
            }
            return Byte.toUnsignedInt(opened.get());
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            if (!opened.hasRemaining() && !openNext()) {
                return -1;
            }
            final int count = Math.min(length, opened.remaining());
            opened.get(bytes, offset, count);
            return count;
        }

        private boolean openNext() throws IOException {
            final int length;
            try {
                length = records.readInt();
            } catch (final EOFException e) {
                return false;
            }
            final byte[] sealed = new byte[length + RecordSeal.TAG_LENGTH];
            records.readFully(sealed);
            seal.open(sealed, 0, length);
            opened = ByteBuffer.wrap(sealed, 0, length);
            return true;
        }

        @Override
        public int available() throws IOException {
            return opened.remaining() + records.available();
        }
    }

    static HelloFrame hello() {
        return hello(VERSION);
    }

    static HelloFrame hello(final int version) {
        return hello(VersionRange.only(version));
    }

    static HelloFrame hello(final VersionRange versions) {
        return new HelloFrame(
                Nonce.random(RANDOM), versions, HelloFrame.NOT_DIALLED, TestSegments.JOB);
    }

    /** A client's, for the node that this is connected to. */
    HelloFrame ownHello() {
        return ownHello(TestSegments.JOB);
    }

    private HelloFrame ownHello(final String job) {
        return new HelloFrame(
                Nonce.random(RANDOM),
                VersionRange.only(version),
                "127.0.0.1:" + socket.getPort(),
                job);
    }

    /** Whether a node takes a client of a job; what it proves is right. */
    boolean isServed(final String job, final byte[] secret) throws IOException {
        final HelloFrame hello = ownHello(job);
        send(hello::encode);
        final Frame first = read();
        if (first.type() == FrameType.REFUSED) {
            return false;
        }
        final ChallengeFrame challenge = ChallengeFrame.decode(first.body(), version);
        final Transcript transcript = new Transcript(hello, challenge, version);
        send(transcript.auth(secret)::encode);
        return read().type() == FrameType.WELCOME;
    }

    /** What a node tells a client that proves itself by a secret that is not the job's. */
    RefusedFrame refusal(final String job, final byte[] wrongSecret) throws IOException {
        final HelloFrame hello = ownHello(job);
        send(hello::encode);
        Frame answer = read();
        if (answer.type() == FrameType.CHALLENGE) {
            final ChallengeFrame challenge = ChallengeFrame.decode(answer.body(), version);
            final Transcript transcript = new Transcript(hello, challenge, version);
            send(transcript.auth(wrongSecret)::encode);
            answer = read();
        }
        return RefusedFrame.decode(answer.body());
    }

    ChallengeFrame readChallenge() throws IOException {
        return ChallengeFrame.decode(read().body(), version);
    }

    // ---- a node --------------------------------------------------------------------------------

    /** The first frame of a connection. */
    Frame readFirst() throws IOException {
        final int magic = in.readInt();
        if (magic != HelloFrame.MAGIC) {
            throw new IOException("magic=" + magic);
        }
        return read();
    }

    HelloFrame readHello() throws IOException {
        final Frame frame = readFirst();
        return HelloFrame.decode(frame.body(), frame.version());
    }

    /** Lets a client prove itself, and proves itself by {@code secret}. */
    void welcome(final byte[] secret, final int credits) throws IOException {
        welcome(readHello(), secret, credits);
    }

    void welcome(final HelloFrame hello, final byte[] secret, final int credits)
            throws IOException {
        final ChallengeFrame challenge = challenge();
        send(challenge::encode);
        final AuthFrame auth = AuthFrame.decode(read().body(), version);
        final WelcomeFrame welcome = WelcomeFrame.unproved(1 << 20, credits, 0, 0, "tcp");
        final Transcript transcript =
                new Transcript(
                        hello,
                        challenge,
                        challenge.protection().orStronger(auth.protection()),
                        version);
        send(welcome.withProof(transcript.ofNode(secret, welcome))::encode);
        if (transcript.isSealed()) {
            final SessionKeys keys = transcript.keys(secret);
            seal(keys.ofNode(), keys.ofClient());
        }
    }

    private ChallengeFrame challenge() {
        return new ChallengeFrame(
                1,
                Nonce.random(RANDOM),
                version > FrameType.V12 ? Protection.PRIVACY : Protection.AUTHENTICATION,
                VersionRange.only(version));
    }

    /** Sends a client's own proof back to it. */
    void reflect() throws IOException {
        readHello();
        send(challenge()::encode);
        final Proof proof = AuthFrame.decode(read().body(), version).proof();
        send(new WelcomeFrame(proof, 1 << 20, 1, 0, 0, "tcp")::encode);
    }

    // ---- somebody in between
    // ---------------------------------------------------------------------

    /** Passes a frame on, bit by bit as it came. */
    void relay(final Frame frame) throws IOException {
        final int length = frame.body().remaining();
        send(
                (out, layout) -> {
                    FrameHeader.encode(out, frame.type(), frame.version(), length);
                    out.put(frame.body());
                });
    }

    /** Passes bytes on, both ways, until either end closes. */
    void passTo(final Socket server) throws IOException {
        passTo(server, server.getInputStream());
    }

    /** As {@link #passTo(Socket)}; {@code answers} is what the client gets. */
    void passTo(final Socket server, final InputStream answers) throws IOException {
        final Thread back =
                new Thread(
                        () -> {
                            try {
                                answers.transferTo(socket.getOutputStream());
                            } catch (final IOException e) {
                                LOG.debug("A connection ended", e);
                            }
                        });
        back.start();
        in.transferTo(server.getOutputStream());
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
