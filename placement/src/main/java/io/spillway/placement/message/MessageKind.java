// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameSet;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/** The messages of the placement service, with their codes. */
public enum MessageKind implements FrameKind {
    /** Node to service: what it has. */
    REPORT(1),
    /** Service to node: which jobs there are. */
    ORDERS(2),
    /** Task to service: where to put an output? */
    LEASE(3),
    /** Service to task: there. */
    LEASED(4),
    /** Task to service: where are outputs? */
    LOCATE(5),
    /** Service to task: there. */
    LOCATED(6),
    /** Node to service: how are all? */
    STATUS(7),
    /** Service to node: a part of that. */
    STATUS_PART(8);

    /** The most bytes of a message: 1 MiB. */
    public static final int MAX_LENGTH = 1 << 20;

    /** Reports and orders: nodes get the secrets of jobs, those without memory too. */
    public static final int V2 = 2;

    /** Orders: nodes get keys of their own. All other messages are as in version 2. */
    public static final int V3 = 3;

    /**
     * The versions that are understood. A message states the oldest version that has its layout;
     * orders are of the version of the report that they answer.
     */
    public static final VersionRange VERSIONS = new VersionRange(V2, V3);

    /** Offset of the version, one byte. */
    public static final int VERSION_OFFSET = FrameHeader.VERSION_OFFSET;

    private static final FrameSet<MessageKind> MESSAGES =
            new FrameSet<>("placement", FrameForm.MESSAGE, values());
    private static final BodyBounds BODY =
            new BodyBounds(0, MAX_LENGTH - FrameForm.MESSAGE.headerLength());

    private final byte code;

    MessageKind(final int code) {
        this.code = (byte) code;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public BodyBounds body() {
        return BODY;
    }

    /**
     * Which message this is; the position stays.
     *
     * @throws MalformedFrameException for an unknown kind, another version, or a length out of
     *     bounds
     */
    public static MessageKind of(final ByteBuffer message) throws MalformedFrameException {
        return MESSAGES.header(message.duplicate(), VERSIONS).type();
    }

    /** The version that a message states; the position stays. */
    static int versionOf(final ByteBuffer message) {
        return FrameHeader.version(message);
    }

    /** A reader of the fields of a message, which has to be of this kind; its position stays. */
    public FrameReader reader(final ByteBuffer message) throws MalformedFrameException {
        final ByteBuffer fields = message.duplicate();
        final MessageKind kind = MESSAGES.header(fields, VERSIONS).type();
        if (kind != this) {
            throw MalformedFrameException.of("placement", "type", kind, name());
        }
        return MESSAGES.reader(this, fields);
    }

    /** Begins a message whose layout is the same in all versions. */
    public FrameWriter writer() {
        return writer(VERSIONS.oldest());
    }

    /** Begins a message. */
    FrameWriter writer(final int version) {
        return MESSAGES.writer(this, version);
    }
}
