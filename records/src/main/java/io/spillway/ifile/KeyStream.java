// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import org.apache.hadoop.crypto.Encryptor;
import org.apache.hadoop.crypto.JceAesCtrCryptoCodec;

/**
 * AES in counter mode, from any byte of a file on: what encrypts also decrypts. The bytes go
 * through two small arrays of its own, so that the cipher never reads where it writes. One thread
 * at a time.
 */
final class KeyStream {
    static final int BLOCK = 16;

    /** Bytes at a time; whole blocks. Two such arrays stay in the processor's cache. */
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
     * Goes to a byte of a file.
     *
     * @param iv of a segment; stays as it is while it is used here
     * @param position the byte's
     */
    void seek(final byte[] iv, final long position) {
        this.iv = iv;
        block = position / BLOCK;
        skip = (int) (position % BLOCK);
        filled = skip;
        isSet = false;
    }

    /**
     * Takes bytes.
     *
     * @return how many it has taken; 0 when they are to be taken out first
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

    /** Gives all bytes that were put, encrypted or decrypted. More may follow them. */
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

    /** Within a block the cipher's state says where to go on, unless it is set again. */
    private void advance() {
        block += filled / BLOCK;
        skip = filled % BLOCK;
        isSet = skip == 0;
        filled = skip;
    }

    /** Encrypts or decrypts bytes from one place to another, which may overlap it from below. */
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
