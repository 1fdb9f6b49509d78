// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.frame.FrameHeader;
import io.spillway.seal.RecordSeal;
import io.spillway.wire.FrameType;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** An attacker on the network, who changes the records of a node. */
final class Meddler extends InputStream {
    /** The change of one record. */
    enum Deed {
        NOTHING,
        /** Turns a bit of it. */
        FLIP,
        /** Drops it. */
        DROP,
        /** Sends it twice. */
        REPEAT,
        /** Sends it after the next one. */
        SWAP
    }

    private static final int FIFTH = 5;

    private final DataInputStream in;
    private final Deed deed;
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final Queue<byte[]> next = new ArrayDeque<>();
    private ByteBuffer passing = ByteBuffer.allocate(0);
    private boolean isWelcome;
    private int record;

    Meddler(final InputStream in, final Deed deed) {
        this.in = new DataInputStream(in);
        this.deed = deed;
    }

    /** All bytes of the node's records. */
    byte[] seen() {
        return seen.toByteArray();
    }

    private void readFrame() throws IOException {
        final byte[] header = in.readNBytes(FrameHeader.LENGTH);
        if (header.length < FrameHeader.LENGTH) {
            return;
        }
        final int length = ByteBuffer.wrap(header).getInt(FrameHeader.BODY_LENGTH_OFFSET);
        next.add(header);
        next.add(in.readNBytes(length));
        isWelcome = header[FrameHeader.TYPE_OFFSET] == FrameType.WELCOME.code();
    }

    private byte[] readRecord() throws IOException {
        final byte[] start = in.readNBytes(RecordSeal.BYTES_OFFSET);
        if (start.length < RecordSeal.BYTES_OFFSET) {
            return null;
        }
        final int length = ByteBuffer.wrap(start).getInt();
        final byte[] bytes = Arrays.copyOf(start, length + RecordSeal.OVERHEAD);
        in.readFully(bytes, RecordSeal.BYTES_OFFSET, length + RecordSeal.TAG_LENGTH);
        seen.writeBytes(bytes);
        return bytes;
    }

    private void passRecord() throws IOException {
        final byte[] bytes = readRecord();
        if (bytes == null) {
            return;
        }
        record++;
        if (record != FIFTH) {
            next.add(bytes);
            return;
        }
        switch (deed) {
            case FLIP -> {
                bytes[bytes.length / 2] ^= (byte) 1;
                next.add(bytes);
            }
            case DROP -> passRecord();
            case REPEAT -> {
                next.add(bytes);
                next.add(bytes);
            }
            case SWAP -> {
                passRecord();
                next.add(bytes);
            }
            default -> next.add(bytes);
        }
    }

    @Override
    public int read() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(final byte[] bytes, final int offset, final int length) throws IOException {
        while (!passing.hasRemaining()) {
            if (next.isEmpty()) {
                if (isWelcome) {
                    passRecord();
                } else {
                    readFrame();
                }
            }
            if (next.isEmpty()) {
                return -1;
            }
            passing = ByteBuffer.wrap(next.remove());
        }
        final int count = Math.min(length, passing.remaining());
        passing.get(bytes, offset, count);
        return count;
    }
}
