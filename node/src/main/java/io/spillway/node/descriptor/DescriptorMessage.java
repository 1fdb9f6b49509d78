// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A message between a task and its node; all have the same fields. Immutable. */
final class DescriptorMessage {
    private static final byte[] NOTHING = {};
    private static final int MAX_LENGTH = FrameHeader.LENGTH + DescriptorFrame.HELLO.body().most();

    private final DescriptorFrame kind;
    private final long number;
    private final String name;
    private final String text;
    private final byte[] block;

    /**
     * Creates a message.
     *
     * @param number bytes, or the code of a tier
     * @param name of a job or a file
     * @param text the attempt, a path or the reason of a refusal
     * @param block a nonce or a proof; not to be changed
     */
    DescriptorMessage(
            final DescriptorFrame kind,
            final long number,
            final String name,
            final String text,
            final byte[] block) {
        this.kind = kind;
        this.number = number;
        this.name = name;
        this.text = text;
        this.block = block;
    }

    DescriptorFrame kind() {
        return kind;
    }

    long number() {
        return number;
    }

    String name() {
        return name;
    }

    String text() {
        return text;
    }

    byte[] block() {
        return block;
    }

    /** A message about a file. */
    static DescriptorMessage of(final DescriptorFrame kind, final long number, final String file) {
        return new DescriptorMessage(kind, number, file, "", NOTHING);
    }

    /** A message without fields. */
    static DescriptorMessage of(final DescriptorFrame kind) {
        return of(kind, 0, "");
    }

    /** An answer. */
    static DescriptorMessage answer(
            final DescriptorFrame kind, final long number, final String text) {
        return new DescriptorMessage(kind, number, "", text, NOTHING);
    }

    /** A nonce or a proof. */
    static DescriptorMessage of(final DescriptorFrame kind, final byte[] block) {
        return new DescriptorMessage(kind, 0, "", "", block);
    }

    /**
     * Checks Netty's native library before the first channel is made.
     *
     * @throws IOException where no channel can pass descriptors
     */
    static void requireLibrary() throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException(
                    "Netty's native library, which Hadoop ships, cannot be used: "
                            + Epoll.unavailabilityCause(),
                    Epoll.unavailabilityCause());
        }
    }

    /** Splits the received bytes into messages for {@link #decode}. */
    static ChannelHandler cutter() {
        return new LengthFieldBasedFrameDecoder(
                MAX_LENGTH, FrameHeader.BODY_LENGTH_OFFSET, Integer.BYTES);
    }

    ByteBuf encode() {
        return Unpooled.wrappedBuffer(
                DescriptorFrame.FRAMES
                        .writer(kind, DescriptorFrame.VERSIONS.newest())
                        .int64(number)
                        .text("name", name, 0, DescriptorFrame.MAX_NAME_LENGTH)
                        .message(text, DescriptorFrame.MAX_TEXT_LENGTH)
                        .block("block", block, 0, DescriptorFrame.MAX_BLOCK_LENGTH)
                        .finish());
    }

    /** Reads a whole message. */
    static DescriptorMessage decode(final ByteBuf message) throws MalformedFrameException {
        final ByteBuffer bytes = message.nioBuffer();
        final DescriptorFrame kind =
                DescriptorFrame.FRAMES.header(bytes, DescriptorFrame.VERSIONS).type();
        final FrameReader in = DescriptorFrame.FRAMES.reader(kind, bytes);
        final long number = in.int64("number", Long.MIN_VALUE);
        final String name = in.text("name", 0, DescriptorFrame.MAX_NAME_LENGTH);
        final String text = in.text("text", 0, DescriptorFrame.MAX_TEXT_LENGTH);
        final byte[] block = in.block("block", 0, DescriptorFrame.MAX_BLOCK_LENGTH);
        in.end();
        return new DescriptorMessage(kind, number, name, text, block);
    }
}
