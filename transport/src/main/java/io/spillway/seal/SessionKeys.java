// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

/**
 * The keys of one session, one for each direction. Other sessions have other keys: both nonces and
 * all that was said in the hand-shake go into them. Callers do not change the arrays.
 */
public final class SessionKeys {
    /** The bytes of a key. */
    public static final int LENGTH = 16;

    private final byte[] ofClient;
    private final byte[] ofNode;

    /**
     * Creates the keys of a session.
     *
     * @param ofClient seals what the client sends
     * @param ofNode seals what the node sends
     */
    public SessionKeys(final byte[] ofClient, final byte[] ofNode) {
        this.ofClient = ofClient;
        this.ofNode = ofNode;
    }

    /** Seals what the client sends. */
    public byte[] ofClient() {
        return ofClient;
    }

    /** Seals what the node sends. */
    public byte[] ofNode() {
        return ofNode;
    }
}
