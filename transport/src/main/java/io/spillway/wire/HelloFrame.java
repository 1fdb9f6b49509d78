// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.OpaqueId;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * The first frame of a connection, the only one after {@link #MAGIC}: the client's nonce, the job
 * it fetches for and the versions that it speaks. Version 12 has no field for the versions. The
 * header of a HELLO with one states version 13, whatever the versions are: so every node from
 * version 13 on can read it.
 *
 * <p>It ends with an empty line, as an HTTP request does: a stock handler then answers at once that
 * it does not understand, instead of waiting for the rest of a request.
 *
 * @param nonce the client's nonce
 * @param prefetch whether the node may read ahead for this client
 * @param seals whether the client requires that a session of version 13 is sealed. Version 12 does
 *     not have it. From version 14 on it is not used: {@link AuthFrame} has the protection
 * @param versions those that the client speaks; {@code 12} in a HELLO of version 12
 * @param dialled the address that the client has connected to, such as {@code 10.0.0.7:13562}, or
 *     {@link #NOT_DIALLED}; a HELLO of version 12 has none
 * @param jobId an {@link OpaqueId}
 */
public record HelloFrame(
        Nonce nonce,
        boolean prefetch,
        boolean seals,
        VersionRange versions,
        String dialled,
        String jobId) {
    /** {@code SPWY}: what a connection begins with, before the frame's header. */
    public static final int MAGIC = 0x53505759;

    /** The bytes of {@link #MAGIC}. */
    public static final int MAGIC_LENGTH = Integer.BYTES;

    /** The longest address, in bytes: one of IPv6 with a port has 47. */
    public static final int MAX_DIALLED_LENGTH = 64;

    /** Stands for an address where the connection is no socket of the network. */
    public static final String NOT_DIALLED = "-";

    /** Ends a request of HTTP: a port that speaks only HTTP answers at once. */
    public static final int EMPTY_LINE = 0x0D0A0D0A;

    static final BodyBounds BODY =
            BodyBounds.of(Nonce.LENGTH + 2 * Integer.BYTES)
                    .plusShort(0, OpaqueId.MAX_LENGTH)
                    .plus(0, 3 * Integer.BYTES + Short.BYTES + MAX_DIALLED_LENGTH);

    /** The longest encoding, magic and header included. */
    public static final int MAX_LENGTH = MAGIC_LENGTH + FrameHeader.LENGTH + BODY.most();

    /** The frame of a client that insists on seals, and that the node may read ahead for. */
    public HelloFrame(
            final Nonce nonce,
            final VersionRange versions,
            final String dialled,
            final String jobId) {
        this(nonce, true, true, versions, dialled, jobId);
    }

    /** The version of the layout in which a client that speaks these versions writes it. */
    public static int layoutFor(final VersionRange versions) {
        return Math.min(versions.newest(), FrameType.V13);
    }

    /** Writes magic, header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] job = Texts.id("jobId", jobId);
        final byte[] address = Texts.name("dialled", dialled, MAX_DIALLED_LENGTH);
        out.putInt(MAGIC);
        final boolean hasVersions = version > FrameType.V12;
        final int start = FrameHeader.begin(out, FrameType.HELLO, version);
        nonce.encode(out);
        out.putInt(prefetch ? 1 : 0);
        if (hasVersions) {
            out.putInt(versions.oldest()).putInt(versions.newest()).putInt(seals ? 1 : 0);
        }
        Texts.put(out, job);
        if (hasVersions) {
            Texts.put(out, address);
        }
        out.putInt(EMPTY_LINE);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static HelloFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.HELLO, body);
        final Nonce nonce = Nonce.decode(in);
        final boolean prefetch = in.int32("prefetch", 0, 1) == 1;
        final VersionRange versions =
                version > FrameType.V12 ? versions(in) : VersionRange.only(FrameType.V12);
        final boolean seals = version > FrameType.V12 && in.int32("seals", 0, 1) == 1;
        final String jobId = in.id("jobId");
        final String dialled =
                version > FrameType.V12 ? in.name("dialled", MAX_DIALLED_LENGTH) : NOT_DIALLED;
        in.int32("empty line", EMPTY_LINE, EMPTY_LINE);
        in.end();
        return new HelloFrame(nonce, prefetch, seals, versions, dialled, jobId);
    }

    static VersionRange versions(final FrameReader in) throws MalformedFrameException {
        final int oldest = in.int32("oldest version", FrameType.V12, VersionRange.MAX_VERSION);
        return new VersionRange(
                oldest, in.int32("newest version", oldest, VersionRange.MAX_VERSION));
    }
}
