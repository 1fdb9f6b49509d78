// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/** The messages of the placement service, with their codes. */
public enum MessageKind {
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

    /** Offset of the code, one byte. */
    public static final int CODE_OFFSET = 0;

    /** Offset of the version, one byte. */
    public static final int VERSION_OFFSET = CODE_OFFSET + 1;

    /** Offset of the first field. */
    static final int FIELDS_OFFSET = VERSION_OFFSET + 1;

    private static final String PROTOCOL = "placement";

    private final byte code;

    MessageKind(final int code) {
        this.code = (byte) code;
    }

    /** What stands for it in a message. */
    public byte code() {
        return code;
    }

    /**
     * Which message this is; the position stays.
     *
     * @throws MalformedFrameException for an unknown kind, another version, or a length out of
     *     bounds
     */
    public static MessageKind of(final ByteBuffer message) throws MalformedFrameException {
        final int length = message.remaining();
        if (length < FIELDS_OFFSET || length > MAX_LENGTH) {
            throw MalformedFrameException.of(
                    PROTOCOL, "length", length, FIELDS_OFFSET + " to " + MAX_LENGTH);
        }
        final int code = message.get(message.position() + CODE_OFFSET);
        if (code < 1 || code > values().length) {
            throw MalformedFrameException.of(PROTOCOL, "kind", code, "1 to " + values().length);
        }
        final MessageKind kind = values()[code - 1];
        final int version = versionOf(message);
        if (!VERSIONS.contains(version)) {
            throw MalformedFrameException.of(kind, "version", version, VERSIONS.toString());
        }
        return kind;
    }

    /** The version that a message states; the position stays. */
    static int versionOf(final ByteBuffer message) {
        return Byte.toUnsignedInt(message.get(message.position() + VERSION_OFFSET));
    }

    /** A reader of the fields of a message, which has to be of this kind; its position stays. */
    public MessageReader reader(final ByteBuffer message) throws MalformedFrameException {
        final MessageKind kind = of(message);
        if (kind != this) {
            throw MalformedFrameException.of(PROTOCOL, "kind", kind, name());
        }
        return new MessageReader(this, message.slice().position(FIELDS_OFFSET));
    }
}
