// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.transport.OpaqueId;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A job that runs in the cluster. Immutable.
 *
 * @param id an {@link OpaqueId}, not {@link ClusterSecret#CALLER_ID}
 * @param user as whom it runs, 1 to {@value #MAX_USER_LENGTH} printable bytes of UTF-8; it may
 *     become part of a path, so it has no slash and is neither . nor ..
 * @param key what {@code secret} is
 * @param secret sealed: the job's shuffle secret, or what is derived from it for a node
 */
public record SealedJob(String id, String user, Key key, SealedSecret secret) {
    /** What members of the cluster get of a job's secret. */
    public enum Key {
        /** The job's shuffle secret itself: the placement service, and nodes beside old tasks. */
        SECRET(0),
        /** The key of the one node that gets it. */
        OF_NODE(1),
        /** Nothing that is of use: the node holds nothing of jobs. */
        NONE(2);

        private final int onWire;

        Key(final int onWire) {
            this.onWire = onWire;
        }
    }

    /** By their codes. */
    private static final Key[] KEYS = {Key.SECRET, Key.OF_NODE, Key.NONE};

    /** The longest name of a user, in bytes. */
    public static final int MAX_USER_LENGTH = 256;

    private static final String USER_EXPECTED =
            "a user's name of 1 to " + MAX_USER_LENGTH + " printable bytes";

    /** Checks the fields. */
    public SealedJob {
        OpaqueId.require("jobId", id);
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(secret, "secret");
        if (id.equals(ClusterSecret.CALLER_ID)) {
            throw new IllegalArgumentException("jobId=" + id + ", expected that of a job");
        }
        if (!isUser(user)) {
            throw new IllegalArgumentException("user=" + user + ", expected " + USER_EXPECTED);
        }
    }

    /** The same where nodes get something else of it. */
    public SealedJob with(final Key other) {
        return new SealedJob(id, user, other, secret);
    }

    /** A job with its shuffle secret. */
    public SealedJob(final String id, final String user, final SealedSecret secret) {
        this(id, user, Key.SECRET, secret);
    }

    private static boolean isUser(final String user) {
        final int length = user.getBytes(StandardCharsets.UTF_8).length;
        return length > 0
                && length <= MAX_USER_LENGTH
                && Texts.isPrintable(user)
                && !user.contains("/")
                && !user.equals(".")
                && !user.equals("..");
    }

    /** As a host reports it, and as orders had it in version 2. */
    void encode(final FrameWriter out) {
        out.id("jobId", id)
                .text("user", user, 1, MAX_USER_LENGTH)
                .block("secret", secret.bytes(), SealedSecret.MIN_LENGTH, SealedSecret.MAX_LENGTH);
    }

    /** As orders have it. */
    void encode(final FrameWriter out, final int version) {
        if (version > MessageKind.V2) {
            out.int32(key.onWire);
        }
        encode(out);
    }

    static SealedJob decode(final FrameReader in, final int version)
            throws MalformedFrameException {
        if (version == MessageKind.V2) {
            return decode(in);
        }
        final Key key = KEYS[in.int32("key", 0, KEYS.length - 1)];
        final SealedJob job = decode(in);
        return new SealedJob(job.id, job.user, key, job.secret);
    }

    static SealedJob decode(final FrameReader in) throws MalformedFrameException {
        final String id = in.id("jobId");
        if (id.equals(ClusterSecret.CALLER_ID)) {
            throw in.malformed("jobId", id, "that of a job");
        }
        final String user = in.text("user", 1, MAX_USER_LENGTH);
        if (!isUser(user)) {
            throw in.malformed("user", user, USER_EXPECTED);
        }
        final byte[] secret = in.block("secret", SealedSecret.MIN_LENGTH, SealedSecret.MAX_LENGTH);
        return new SealedJob(id, user, new SealedSecret(secret));
    }
}
