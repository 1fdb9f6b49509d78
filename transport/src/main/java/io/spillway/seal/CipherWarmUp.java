// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Brings a young JVM to the processor's instructions for AES and GHASH. HotSpot uses them in code
 * of its last compiler only, which it compiles by the number of calls; until then a record of 16
 * KiB takes a hundred times as long. Many short messages make as many calls as long ones. The first
 * 32 MiB take 0.2 s of CPU less so (openjdk 17.0.15). Thread-safe.
 */
final class CipherWarmUp {
    /** A process that sends and takes less does not need it: 1 MiB. */
    private static final int FROM_RECORD = 64;

    private static final int MESSAGES = 2000;
    private static final int LENGTH = 32;

    private static final AtomicInteger RECORDS = new AtomicInteger();

    private CipherWarmUp() {}

    /** Counts a record; the one that makes it worth while takes some 50 ms longer. */
    static void count() {
        if (RECORDS.get() <= FROM_RECORD && RECORDS.incrementAndGet() == FROM_RECORD) {
            run();
        }
    }

    private static void run() {
        final byte[] nonce = new byte[GcmSeal.NONCE_LENGTH];
        final byte[] message = new byte[LENGTH + GcmSeal.TAG_LENGTH];
        try {
            final Cipher cipher = Cipher.getInstance(GcmSeal.CIPHER);
            // A key that protects nothing: it is known.
            final SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
            for (int i = 0; i < MESSAGES; i++) {
                ByteBuffer.wrap(nonce).putInt(i);
                final GCMParameterSpec once =
                        new GCMParameterSpec(GcmSeal.TAG_LENGTH * Byte.SIZE, nonce);
                cipher.init(Cipher.ENCRYPT_MODE, key, once);
                cipher.updateAAD(nonce);
                cipher.doFinal(message, 0, LENGTH, message, 0);
                cipher.init(Cipher.DECRYPT_MODE, key, once);
                cipher.updateAAD(nonce);
                cipher.doFinal(message, 0, message.length, message, 0);
            }
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(
                    GcmSeal.CIPHER + " fails for messages of " + LENGTH + " bytes", e);
        }
    }
}
