// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.SegmentTest.Compression;
import io.spillway.ifile.TestRecords.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** Encrypted segments against Hadoop's own {@code CryptoUtils}. */
class EncryptedSegmentsTest {
    private static final byte[] KEY = "a key of AES-128".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER_KEY = "another AES-128.".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = 24;

    private static final Configuration CONF = new Configuration(false);

    static {
        CONF.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
        try {
            final Credentials credentials = new Credentials();
            TokenCache.setEncryptedSpillKey(KEY, credentials);
            UserGroupInformation.getCurrentUser().addCredentials(credentials);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SegmentCipher cipher(final byte[] key) throws IOException {
        return new EncryptedSegments(CONF, key, "");
    }

    private static List<List<KeyValue>> random(
            final Random random, final int partitions, final int most, final int largest) {
        final List<List<KeyValue>> segments = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            segments.add(TestRecords.random(random, random.nextInt(most + 1), largest));
        }
        return segments;
    }

    @Property(tries = 40)
    void stockReadsWhatIsWritten(
            @ForAll final Compression compression,
            @ForAll @IntRange(min = 1, max = 5) final int partitions,
            @ForAll @IntRange(min = 0, max = 100) final int most,
            @ForAll @IntRange(min = 0, max = 100_000) final int largest,
            @ForAll final long seed)
            throws IOException {
        final List<List<KeyValue>> segments = random(new Random(seed), partitions, most, largest);
        final CompressionCodec codec = compression.codec();
        final MapOutputIndex index = new MapOutputIndex(partitions);
        final byte[] file = TestRecords.write(segments, codec, cipher(KEY), index);
        long end = 0;
        for (int p = 0; p < partitions; p++) {
            final IndexEntry entry = index.get(p);
            assertThat(entry.startOffset()).isEqualTo(end);
            end += entry.partLength();
            final byte[] fetched = fetchedByStock(file, entry);
            assertThat(fetched).hasSize((int) entry.partLength() - HEADER);
            final IndexEntry content =
                    new IndexEntry(0, entry.rawLength() - HEADER, entry.partLength() - HEADER);
            assertThat(TestRecords.readByStock(fetched, content, codec)).isEqualTo(segments.get(p));
            assertThat(openedByStock(file, entry)).isEqualTo(fetched);
        }
        assertThat(file).hasSize((int) end);
    }

    /** Reads as stock's fetchers do. */
    private static byte[] fetchedByStock(final byte[] file, final IndexEntry entry)
            throws IOException {
        try (InputStream in =
                CryptoUtils.wrapIfNecessary(
                        CONF,
                        new ByteArrayInputStream(
                                file, (int) entry.startOffset(), (int) entry.partLength()),
                        entry.partLength())) {
            return in.readAllBytes();
        }
    }

    /** Reads as stock's merge and its reader of local map outputs: by the position in the file. */
    private static byte[] openedByStock(final byte[] file, final IndexEntry entry)
            throws IOException {
        final FSDataInputStream in = new FSDataInputStream(new TestRecords.SeekableBytes(file));
        in.seek(entry.startOffset());
        try (FSDataInputStream content = CryptoUtils.wrapIfNecessary(CONF, in)) {
            return content.readNBytes((int) entry.partLength() - HEADER);
        }
    }

    @Property(tries = 40)
    void readsWhatStockWrites(
            @ForAll final Compression compression,
            @ForAll @IntRange(min = 1, max = 5) final int partitions,
            @ForAll @IntRange(min = 0, max = 100) final int most,
            @ForAll @IntRange(min = 0, max = 100_000) final int largest,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final List<List<KeyValue>> segments = random(random, partitions, most, largest);
        final CompressionCodec codec = compression.codec();
        final MapOutputIndex index = new MapOutputIndex(partitions);
        final byte[] file = TestRecords.writeByStock(segments, codec, CONF, index);
        for (int p = 0; p < partitions; p++) {
            final IndexEntry entry = index.get(p);
            assertThat(read(file, entry, codec, cipher(KEY))).isEqualTo(segments.get(p));
            assertThat(inPieces(file, entry, random)).isEqualTo(fetchedByStock(file, entry));
        }
    }

    private static List<KeyValue> read(
            final byte[] file,
            final IndexEntry entry,
            final CompressionCodec codec,
            final SegmentCipher cipher)
            throws IOException {
        final InputStream stored =
                new ByteArrayInputStream(file, (int) entry.startOffset(), (int) entry.partLength());
        try (RecordCursor cursor =
                new StreamRecordCursor(
                        new SegmentInputStream(stored, entry.partLength(), codec, cipher), 100)) {
            return TestRecords.all(cursor);
        }
    }

    /** Reads as reducers do: in pieces of any length, with foreign bytes around them. */
    private static byte[] inPieces(final byte[] file, final IndexEntry entry, final Random random)
            throws IOException {
        final SegmentCipher.Content content = cipher(KEY).content();
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        int done = 0;
        while (done < entry.partLength()) {
            final int most = random.nextBoolean() ? 40 : 100_000;
            final int length = (int) Math.min(1 + random.nextInt(most), entry.partLength() - done);
            final int offset = 1 + random.nextInt(50);
            final byte[] piece = new byte[offset + length + 50];
            Arrays.fill(piece, (byte) 7);
            System.arraycopy(file, (int) entry.startOffset() + done, piece, offset, length);
            final int count = content.pass(piece, offset, length);
            assertThat(Arrays.copyOf(piece, offset)).containsOnly(7);
            assertThat(Arrays.copyOfRange(piece, offset + length, piece.length)).containsOnly(7);
            all.write(piece, offset, count);
            done += length;
        }
        return all.toByteArray();
    }

    @Test
    void noTwoSegmentsAreStoredAlike() throws IOException {
        final List<KeyValue> records = TestRecords.random(new Random(1), 20, 40);
        final MapOutputIndex index = new MapOutputIndex(2);
        final byte[] file = TestRecords.write(List.of(records, records), null, cipher(KEY), index);
        final int half = file.length / 2;

        assertThat(Arrays.copyOfRange(file, 8, 24))
                .isNotEqualTo(Arrays.copyOfRange(file, half + 8, half + 24));
        assertThat(Arrays.copyOfRange(file, 24, half))
                .isNotEqualTo(Arrays.copyOfRange(file, half + 24, file.length));
        assertThat(index.get(0).rawLength()).isEqualTo(index.get(1).rawLength());
    }

    @Test
    void plainTextIsNowhereInTheFile() throws IOException {
        final String marker = "a text that is nowhere else";
        final byte[] bytes = marker.getBytes(StandardCharsets.ISO_8859_1);
        final List<List<KeyValue>> segments = List.of(List.of(new KeyValue(bytes, bytes)));
        final MapOutputIndex index = new MapOutputIndex(1);

        assertThat(text(TestRecords.write(segments, null, index))).contains(marker);
        assertThat(text(TestRecords.write(segments, null, cipher(KEY), index)))
                .doesNotContain(marker)
                .doesNotContain("nowhere");
    }

    private static String text(final byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Test
    void everyFlippedBitAndAnotherKeyAreNoticed() throws IOException {
        final List<KeyValue> records = List.of(new KeyValue(new byte[3], new byte[30]));
        final MapOutputIndex index = new MapOutputIndex(1);
        final byte[] file = TestRecords.write(List.of(records), null, cipher(KEY), index);
        for (int i = 0; i < file.length; i++) {
            file[i] ^= 0x10;
            assertThatThrownBy(() -> content(file, index.get(0), KEY))
                    .as("byte %d", i)
                    .isInstanceOf(ChecksumException.class);
            file[i] ^= 0x10;
        }
        assertThatThrownBy(() -> content(file, index.get(0), OTHER_KEY))
                .isInstanceOf(ChecksumException.class);
        assertThat(content(file, index.get(0), KEY)).hasSize(file.length - HEADER - 4);
    }

    private static byte[] content(final byte[] file, final IndexEntry entry, final byte[] key)
            throws IOException {
        final InputStream stored = new ByteArrayInputStream(file);
        return new SegmentInputStream(stored, entry.partLength(), null, cipher(key)).readAllBytes();
    }
}
