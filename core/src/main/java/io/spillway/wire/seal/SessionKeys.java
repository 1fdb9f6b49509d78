package io.spillway.wire.seal;

/**
 * The keys of one session, one for each direction. Other sessions have other keys: both nonces and
 * all that was said in the hand-shake go into them.
 *
 * @param ofClient seals what the client sends
 * @param ofNode seals what the node sends
 */
public record SessionKeys(byte[] ofClient, byte[] ofNode) {
    /** The bytes of a key. */
    public static final int LENGTH = 16;
}
