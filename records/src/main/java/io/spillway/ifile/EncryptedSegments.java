// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.JceAesCtrCryptoCodec;

/**
 * Stores segments as {@code org.apache.hadoop.mapreduce.CryptoUtils} does: the segment's position
 * in its file (8 bytes, big-endian), 16 random bytes, then the content, encrypted by AES in counter
 * mode. The counter begins with the random bytes and counts the blocks of the file. So the counter
 * of a byte follows from its position in the file. Readers take the position from the segment's
 * header; stock's readers of local files take it from the file.
 */
public final class EncryptedSegments implements SegmentCipher {
    /** The lengths of AES's keys, in bytes. */
    public static final Set<Integer> KEY_LENGTHS = Set.of(16, 24, 32);

    private static final int HEADER = Long.BYTES + KeyStream.BLOCK;

    /** Larger than any file, and small enough that sums do not overflow. */
    private static final long MOST_POSITION = Long.MAX_VALUE >> 1;

    private final JceAesCtrCryptoCodec codec = new JceAesCtrCryptoCodec();
    private final byte[] key;
    private final String hint;
    private final Queue<KeyStream> idle = new ConcurrentLinkedQueue<>();

    /**
     * Creates a cipher.
     *
     * @param conf names the provider of AES and of random numbers ({@code hadoop.security.*})
     * @param key of one of {@link #KEY_LENGTHS}
     * @param hint the text of {@link #hintOfDamage}
     * @throws IOException when the provider has no AES in counter mode, or refuses the key
     */
    public EncryptedSegments(final Configuration conf, final byte[] key, final String hint)
            throws IOException {
        codec.setConf(conf);
        this.key = key.clone();
        this.hint = hint;
        idle.add(new KeyStream(codec, this.key));
    }

    private KeyStream borrow() throws IOException {
        final KeyStream one = idle.poll();
        return one == null ? new KeyStream(codec, key) : one;
    }

    private KeyStream borrowUnchecked() {
        try {
            return borrow();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int headerLength() {
        return HEADER;
    }

    @Override
    public SegmentOutput output(final OutputStream stored) {
        return new EncryptedOutput(stored);
    }

    @Override
    public Content content() {
        return new DecryptedContent();
    }

    @Override
    public InputStream input(final InputStream stored) {
        return new DecryptedInput(stored, content());
    }

    @Override
    public String hintOfDamage() {
        return hint;
    }

    private final class EncryptedOutput extends SegmentOutput {
        private final OutputStream stored;
        private KeyStream cipher;

        EncryptedOutput(final OutputStream stored) {
            super();
            this.stored = stored;
        }

        @Override
        void begin(final long position) throws IOException {
            if (cipher == null) {
                cipher = borrow();
            }
            final byte[] iv = new byte[KeyStream.BLOCK];
            codec.generateSecureRandom(iv);
            stored.write(ByteBuffer.allocate(HEADER).putLong(position).put(iv).array(), 0, HEADER);
            cipher.seek(iv, position + HEADER);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            int done = 0;
            while (done < length) {
                final int count = cipher.put(bytes, offset + done, length - done);
                if (count == 0) {
                    end();
                }
                done += count;
            }
        }

        @Override
        void end() throws IOException {
            cipher.giveTo(stored::write);
        }

        @Override
        public void close() {
            if (cipher != null) {
                idle.add(cipher);
                cipher = null;
            }
        }
    }

    private final class DecryptedContent implements Content {
        private final byte[] header = new byte[HEADER];
        private int headerRead;
        private byte[] iv;

        /** The position of the next byte in the file to which the map has written it. */
        private long position;

        @Override
        public int pass(final byte[] bytes, final int offset, final int length) {
            final int ofHeader = readHeader(bytes, offset, length);
            final int count = length - ofHeader;
            if (count > 0) {
                final KeyStream cipher = borrowUnchecked();
                cipher.seek(iv, position);
                cipher.apply(bytes, offset + ofHeader, offset, count);
                idle.add(cipher);
                position += count;
            }
            return count;
        }

        private int readHeader(final byte[] bytes, final int offset, final int length) {
            if (headerRead == HEADER) {
                return 0;
            }
            final int count = Math.min(length, HEADER - headerRead);
            System.arraycopy(bytes, offset, header, headerRead, count);
            headerRead += count;
            if (headerRead == HEADER) {
                final ByteBuffer whole = ByteBuffer.wrap(header);
                // Damaged bytes may give any position; then the content has a wrong checksum.
                position = (whole.getLong() & MOST_POSITION) + HEADER;
                iv = new byte[KeyStream.BLOCK];
                whole.get(iv);
            }
            return count;
        }
    }

    private static final class DecryptedInput extends InputStream {
        private final InputStream stored;
        private final Content content;
        private final byte[] single = new byte[1];

        DecryptedInput(final InputStream stored, final Content content) {
            super();
            this.stored = stored;
            this.content = content;
        }

        @Override
        public int read() throws IOException {
            return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
        }

        @Override
        public int read(final byte[] buffer, final int offset, final int length)
                throws IOException {
            if (length == 0) {
                return 0;
            }
            int count = 0;
            while (count == 0) {
                final int read = stored.read(buffer, offset, length);
                if (read < 0) {
                    return -1;
                }
                count = content.pass(buffer, offset, read);
            }
            return count;
        }

        @Override
        public int available() throws IOException {
            return stored.available();
        }

        @Override
        public void close() throws IOException {
            stored.close();
        }
    }
}
