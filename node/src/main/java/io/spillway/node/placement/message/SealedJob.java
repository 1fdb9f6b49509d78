package io.spillway.node.placement.message;

import io.spillway.node.placement.secret.ClusterSecret;
import io.spillway.node.placement.secret.SealedSecret;
import io.spillway.transport.OpaqueId;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.Texts;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A job that runs in the cluster. Immutable.
 *
 * @param id an {@link OpaqueId}, not {@link ClusterSecret#CALLER_ID}
 * @param user as whom it runs, 1 to {@value #MAX_USER_LENGTH} printable bytes of UTF-8; it may
 *     become part of a path, so it has no slash and is neither . nor ..
 * @param secret its shuffle secret
 */
public record SealedJob(String id, String user, SealedSecret secret) {
    /** The longest name of a user, in bytes. */
    public static final int MAX_USER_LENGTH = 256;

    private static final String USER_EXPECTED =
            "a user's name of 1 to " + MAX_USER_LENGTH + " printable bytes";

    /** Checks the fields. */
    public SealedJob {
        OpaqueId.require("jobId", id);
        Objects.requireNonNull(secret, "secret");
        if (id.equals(ClusterSecret.CALLER_ID)) {
            throw new IllegalArgumentException("jobId=" + id + ", expected that of a job");
        }
        if (!isUser(user)) {
            throw new IllegalArgumentException("user=" + user + ", expected " + USER_EXPECTED);
        }
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

    void encode(final MessageWriter out) {
        out.id("jobId", id).text(user).block(secret.bytes());
    }

    static SealedJob decode(final MessageReader in) throws MalformedFrameException {
        final String id = in.id("jobId");
        if (id.equals(ClusterSecret.CALLER_ID)) {
            throw in.wrong("jobId", id, "that of a job");
        }
        final String user = in.text("user", MAX_USER_LENGTH);
        if (!isUser(user)) {
            throw in.wrong("user", user, USER_EXPECTED);
        }
        final byte[] secret = in.block("secret", SealedSecret.MIN_LENGTH, SealedSecret.MAX_LENGTH);
        return new SealedJob(id, user, new SealedSecret(secret));
    }
}
