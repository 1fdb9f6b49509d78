// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.frame.Texts;
import io.spillway.wire.Proof;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * The mutual proof of the job's shuffle secret, as in the wire protocol. It covers both nonces and
 * the task's request. Immutable.
 */
final class TaskProof {
    /** The bytes of a nonce. */
    static final int NONCE_LENGTH = 16;

    private static final String TASK = "spillway descriptors task";
    private static final String NODE = "spillway descriptors node";

    private final DescriptorMessage hello;
    private final byte[] nonce;

    /**
     * Creates the data of the proof.
     *
     * @param hello the task's first message
     * @param nonce the node's; not to be changed
     */
    TaskProof(final DescriptorMessage hello, final byte[] nonce) {
        this.hello = hello;
        this.nonce = nonce;
    }

    /** The task's first message. */
    DescriptorMessage hello() {
        return hello;
    }

    /** The task's proof; the secret is not empty. */
    byte[] ofTask(final byte[] secret) {
        return proof(secret, TASK);
    }

    /** The node's proof; the secret is not empty. */
    byte[] ofNode(final byte[] secret) {
        return proof(secret, NODE);
    }

    /** Whether both are the same; the time does not depend on the place of a difference. */
    static boolean matches(final byte[] expected, final byte[] proof) {
        return MessageDigest.isEqual(expected, proof);
    }

    private byte[] proof(final byte[] secret, final String role) {
        final ByteBuffer text =
                ByteBuffer.allocate(
                        4 * DescriptorFrame.MAX_NAME_LENGTH + DescriptorFrame.MAX_TEXT_LENGTH);
        Texts.put(text, role.getBytes(StandardCharsets.UTF_8));
        Texts.put(text, hello.block());
        Texts.put(text, nonce);
        Texts.put(text, hello.name().getBytes(StandardCharsets.UTF_8));
        Texts.put(text, hello.text().getBytes(StandardCharsets.UTF_8));
        text.putLong(hello.number());
        return Proof.of(secret, text.flip()).bytes();
    }
}
