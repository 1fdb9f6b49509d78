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
 * AES-128 in Galois/Counter Mode over bytes of an array: encrypts and authenticates them, or only
 * makes the same tag, and the bytes stay as they are. Both ends then encrypt into memory that
 * nobody sees: the JDK copies what it is only to authenticate (GMAC) through fresh memory, which
 * takes twice as long. It works on arrays: buffers outside the heap the JDK would copy by the KiB.
 * Used by one thread.
 */
final class GcmSeal {
    /** The bytes of a tag. */
    static final int TAG_LENGTH = 16;

    /** The bytes of a nonce. */
    static final int NONCE_LENGTH = 12;

    static final String CIPHER = "AES/GCM/NoPadding";

    private final boolean encrypts;
    private Cipher cipher = newCipher();

    /** The encrypted bytes and their tag, where the bytes stay as they are. */
    private byte[] unseen = {};

    /** The last nonce that bytes in clear were opened by. */
    private byte[] opened = {};

    GcmSeal(final Protection protection) {
        this.encrypts = protection == Protection.PRIVACY;
    }

    private static Cipher newCipher() {
        try {
            return Cipher.getInstance(CIPHER);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(CIPHER + " is missing; every Java has it", e);
        }
    }

    /** Whether bytes are encrypted. */
    boolean encrypts() {
        return encrypts;
    }

    /**
     * Seals bytes where they lie; the tag follows them.
     *
     * @param nonce used with this key once
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
     * Opens bytes where they lie; they are of no use where this is false.
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
            // A cipher encrypts with no nonce twice in a row; here somebody repeats it.
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
