// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-128 in Galois/Counter Mode over bytes of an array. It encrypts and authenticates the bytes,
 * or only computes the same tag and leaves the bytes plain. For a tag alone both ends encrypt into
 * a scratch array: with GMAC the JDK copies the bytes into new arrays, which takes twice as long.
 * It works on arrays, because the JDK copies buffers outside the heap in small parts. Used by one
 * thread.
 */
final class GcmSeal {
    /** The bytes of a tag. */
    static final int TAG_LENGTH = 16;

    /** The bytes of a nonce. */
    static final int NONCE_LENGTH = 12;

    static final String CIPHER = "AES/GCM/NoPadding";

    private final boolean encrypts;
    private Cipher cipher = newCipher();

    /** The scratch array of encrypted bytes and their tag, where the bytes stay plain. */
    private byte[] unseen = {};

    /** The nonce of the last opened plain bytes. */
    private byte[] opened = {};

    GcmSeal(final Protection protection) {
        this.encrypts = protection == Protection.PRIVACY;
    }

    private static Cipher newCipher() {
        try {
            return Cipher.getInstance(CIPHER);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(CIPHER + " is missing, expected in every Java", e);
        }
    }

    /** Whether bytes are encrypted. */
    boolean encrypts() {
        return encrypts;
    }

    /**
     * Seals bytes in place; the tag follows them.
     *
     * @param nonce to be used once with this key
     * @param header authenticated as well; of one length for a key
     */
    void seal(
            final SecretKeySpec key,
            final byte[] nonce,
            final byte[] header,
            final byte[] bytes,
            final int offset,
            final int length) {
        try {
            begin(Cipher.ENCRYPT_MODE, key, nonce, header);
            if (encrypts) {
                cipher.doFinal(bytes, offset, length, bytes, offset);
            } else {
                encryptUnseen(bytes, offset, length);
                System.arraycopy(unseen, length, bytes, offset + length, TAG_LENGTH);
            }
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("sealing " + length + " bytes", e);
        }
    }

    /**
     * Opens bytes in place. Callers drop them where the result is false.
     *
     * @return whether the tag that follows them is right
     */
    boolean open(
            final SecretKeySpec key,
            final byte[] nonce,
            final byte[] header,
            final byte[] bytes,
            final int offset,
            final int length) {
        try {
            if (!encrypts) {
                return hasTag(key, nonce, header, bytes, offset, length);
            }
            begin(Cipher.DECRYPT_MODE, key, nonce, header);
            cipher.doFinal(bytes, offset, length + TAG_LENGTH, bytes, offset);
            return true;
        } catch (final AEADBadTagException e) {
            return false;
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("opening " + length + " bytes", e);
        }
    }

    private boolean hasTag(
            final SecretKeySpec key,
            final byte[] nonce,
            final byte[] header,
            final byte[] bytes,
            final int offset,
            final int length)
            throws GeneralSecurityException {
        if (Arrays.equals(nonce, opened)) {
            // The cipher refuses the same nonce twice in a row; an attacker may repeat it.
            cipher = newCipher();
        }
        opened = nonce.clone();
        begin(Cipher.ENCRYPT_MODE, key, nonce, header);
        encryptUnseen(bytes, offset, length);
        return MessageDigest.isEqual(tagIn(unseen, length), tagIn(bytes, offset + length));
    }

    private void encryptUnseen(final byte[] bytes, final int offset, final int length)
            throws GeneralSecurityException {
        if (unseen.length < length + TAG_LENGTH) {
            unseen = new byte[length + TAG_LENGTH];
        }
        cipher.doFinal(bytes, offset, length, unseen, 0);
    }

    private static byte[] tagIn(final byte[] bytes, final int offset) {
        return Arrays.copyOfRange(bytes, offset, offset + TAG_LENGTH);
    }

    private void begin(
            final int mode, final SecretKeySpec key, final byte[] nonce, final byte[] header)
            throws GeneralSecurityException {
        CipherWarmUp.count();
        cipher.init(mode, key, new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce));
        cipher.updateAAD(header);
    }
}
