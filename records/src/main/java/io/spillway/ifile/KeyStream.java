// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import org.apache.hadoop.crypto.Encryptor;
import org.apache.hadoop.crypto.JceAesCtrCryptoCodec;

/**
 * AES in counter mode, from any byte of a file on. The same operation encrypts and decrypts. The
 * bytes pass through two small arrays, so that input and output of the cipher never overlap. One
 * thread at a time.
 */
final class KeyStream {
    static final int BLOCK = 16;

    /** The bytes of an array, in whole blocks. Two such arrays fit into the processor's cache. */
    private static final int CAPACITY = 32 << 10;

    private final JceAesCtrCryptoCodec codec;
    private final byte[] key;
    private final Encryptor cipher;
    private final byte[] in = new byte[CAPACITY];
    private final byte[] out = new byte[CAPACITY];
    private final ByteBuffer source = ByteBuffer.wrap(in);
    private final ByteBuffer target = ByteBuffer.wrap(out);
    private final byte[] counter = new byte[BLOCK];
    private byte[] iv;
    private long block;
    private int skip;
    private int filled;
    private boolean isSet;

    /**
     * Creates a cipher.
     *
     * @throws IOException when the provider has no AES in counter mode, or refuses the key
     */
    KeyStream(final JceAesCtrCryptoCodec codec, final byte[] key) throws IOException {
        this.codec = codec;
        this.key = key;
        try {
            this.cipher = codec.createEncryptor();
        } catch (final GeneralSecurityException e) {
            throw new IOException(e);
        }
        cipher.init(key, counter);
    }

    /**
     * Sets the position in the file.
     *
     * @param iv of a segment; callers do not change it
     * @param position of the next byte
     */
    void seek(final byte[] iv, final long position) {
        this.iv = iv;
        block = position / BLOCK;
        skip = (int) (position % BLOCK);
        filled = skip;
        isSet = false;
    }

    /**
     * Puts bytes in.
     *
     * @return how many it has accepted; 0 when its bytes have to be taken out first
     */
    int put(final byte[] bytes, final int offset, final int length) {
        final int count = Math.min(length, CAPACITY - filled);
        System.arraycopy(bytes, offset, in, filled, count);
        filled += count;
        return count;
    }

    /** Takes bytes out. */
    @FunctionalInterface
    interface Target {
        void take(byte[] bytes, int offset, int length) throws IOException;
    }

    /** Writes all bytes that were put in, encrypted or decrypted. More may follow them. */
    void giveTo(final Target to) throws IOException {
        if (filled == skip) {
            return;
        }
        if (!isSet || cipher.isContextReset()) {
            codec.calculateIV(iv, block, counter);
            cipher.init(key, counter);
            isSet = true;
        }
        cipher.encrypt(source.clear().limit(filled), target.clear());
        to.take(out, skip, filled - skip);
        advance();
    }

    /** Within a block the cipher continues from its own state, unless its position is set again. */
    private void advance() {
        block += filled / BLOCK;
        skip = filled % BLOCK;
        isSet = skip == 0;
        filled = skip;
    }

    /** Encrypts or decrypts bytes to a target that may overlap the source from below. */
    void apply(final byte[] bytes, final int from, final int to, final int length) {
        try {
            int done = 0;
            while (done < length) {
                final int at = to + done;
                done += put(bytes, from + done, length - done);
                giveTo((given, offset, count) -> System.arraycopy(given, offset, bytes, at, count));
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
