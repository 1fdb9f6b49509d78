// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What a client proves itself with: the job and its shuffle secret, or for a memory node the key
 * that is derived from it. Immutable, never logged.
 */
public final class JobCredentials {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int HASH_LENGTH = 32;
    private static final String PURPOSE = "spillway job node ";

    private final String jobId;
    private final byte[] secret;

    /** The memory node, or null. */
    private final NodeAddress node;

    /**
     * Creates credentials.
     *
     * @param jobId an {@link OpaqueId}
     * @param secret the job's shuffle secret; copied
     * @throws IllegalArgumentException where {@code jobId} is none
     */
    public JobCredentials(final String jobId, final byte[] secret) {
        this(OpaqueId.require("jobId", jobId), secret.clone(), null);
    }

    private JobCredentials(final String jobId, final byte[] secret, final NodeAddress node) {
        this.jobId = jobId;
        this.secret = secret;
        this.node = node;
    }

    /**
     * These for a node that another one has named, or the placement service: it may know nothing of
     * the job but its own key.
     *
     * @param place where that node serves tcp, as it was named
     */
    public JobCredentials forNode(final NodeAddress place) {
        return new JobCredentials(jobId, secret, place);
    }

    /**
     * The key by which a job's clients and a memory node prove themselves to each other:
     * HKDF-SHA256 of the job's shuffle secret for the node's address. A node that has it learns
     * nothing of the secret, nor of the keys of other nodes.
     *
     * @param secret of the job, not empty
     * @param node where it serves tcp, as the placement service names it
     * @return 32 bytes
     */
    public static byte[] nodeKey(final byte[] secret, final NodeAddress node) {
        final byte[] info = (PURPOSE + node).getBytes(StandardCharsets.UTF_8);
        final byte[] firstBlock = Arrays.copyOf(info, info.length + 1);
        firstBlock[info.length] = 1;
        return hmac(hmac(new byte[HASH_LENGTH], secret), firstBlock);
    }

    private static byte[] hmac(final byte[] key, final byte[] text) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java has it", e);
        }
    }

    /** The job. */
    public String jobId() {
        return jobId;
    }

    /** Whether they are for a node that another one has named ({@link #forNode}). */
    public boolean isForNode() {
        return node != null;
    }

    /** A copy of the job's shuffle secret, which proves a client to nodes of the former release. */
    public byte[] secret() {
        return secret.clone();
    }

    /** A copy of what proves a client: the secret, or the key of a memory node. */
    public byte[] key() {
        return node == null || secret.length == 0 ? secret.clone() : nodeKey(secret, node);
    }

    @Override
    public String toString() {
        return "JobCredentials[" + jobId + "]";
    }
}
