// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.util.LineReader;
import org.apache.hadoop.util.Tool;

/**
 * Prints one line for each part file of an output folder: {@code digest}, its name, and {@link
 * RecordDigest#render()}.
 */
final class DigestTool extends Configured implements Tool {
    private static final int THREADS = 2;
    private static final int TERA_RECORD = 100;
    private static final int TERA_KEY = 10;
    private static final int BUFFER = TERA_RECORD * 10_000;

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("digest tera|lines|sequence|text FOLDER");
            return 2;
        }
        print(arguments[0], new Path(arguments[1]));
        return 0;
    }

    /** Prints the digest of each part, and returns what all parts hold. */
    RecordDigest print(final String format, final Path folder) throws Exception {
        final Format read = format(format);
        final FileSystem fs = folder.getFileSystem(getConf());
        final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            final Map<String, Future<RecordDigest>> parts = new LinkedHashMap<>();
            for (final FileStatus file : fs.listStatus(folder, DigestTool::isPart)) {
                final Path path = file.getPath();
                parts.put(path.getName(), threads.submit(() -> digest(fs, path, read)));
            }
            final RecordDigest all = new RecordDigest();
            for (final Map.Entry<String, Future<RecordDigest>> part : parts.entrySet()) {
                final RecordDigest digest = part.getValue().get();
                System.out.println("digest\t" + part.getKey() + "\t" + digest.render());
                all.addContent(digest);
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean isPart(final Path path) {
        return path.getName().startsWith("part-");
    }

    private RecordDigest digest(final FileSystem fs, final Path file, final Format format)
            throws IOException {
        final RecordDigest digest = new RecordDigest();
        format.read(fs, file, getConf(), digest);
        return digest;
    }

    private static Format format(final String name) {
        return switch (name) {
            case "tera" -> DigestTool::readTera;
            case "lines" -> (fs, file, conf, digest) -> readLines(fs, file, true, digest);
            case "sequence" -> DigestTool::readSequence;
            case "text" -> (fs, file, conf, digest) -> readLines(fs, file, false, digest);
            default ->
                    throw new IllegalArgumentException(
                            "format=" + name + ": expected tera, lines, sequence or text");
        };
    }

    /** Feeds all records of a file to a digest. */
    @FunctionalInterface
    private interface Format {
        void read(FileSystem fs, Path file, Configuration conf, RecordDigest digest)
                throws IOException;
    }

    private static void readTera(
            final FileSystem fs,
            final Path file,
            final Configuration conf,
            final RecordDigest digest)
            throws IOException {
        final byte[] buffer = new byte[BUFFER];
        try (InputStream in = fs.open(file)) {
            for (int length = in.readNBytes(buffer, 0, BUFFER);
                    length > 0;
                    length = in.readNBytes(buffer, 0, BUFFER)) {
                if (length % TERA_RECORD != 0) {
                    throw new EOFException(file + ": ends within a record");
                }
                for (int start = 0; start < length; start += TERA_RECORD) {
                    digest.add(
                            buffer,
                            start,
                            TERA_KEY,
                            buffer,
                            start + TERA_KEY,
                            TERA_RECORD - TERA_KEY);
                }
            }
        }
    }

    private static void readLines(
            final FileSystem fs, final Path file, final boolean hasKeys, final RecordDigest digest)
            throws IOException {
        try (LineReader lines = new LineReader(fs.open(file), BUFFER)) {
            final Text line = new Text();
            while (lines.readLine(line) > 0) {
                digest.addLine(line, hasKeys);
            }
        }
    }

    /** Keys without what BytesWritable and Text write in front of their bytes. */
    private static void readSequence(
            final FileSystem fs,
            final Path file,
            final Configuration conf,
            final RecordDigest digest)
            throws IOException {
        try (SequenceFile.Reader reader =
                new SequenceFile.Reader(conf, SequenceFile.Reader.file(file))) {
            final DataOutputBuffer key = new DataOutputBuffer();
            final DataOutputBuffer value = new DataOutputBuffer();
            final SequenceFile.ValueBytes raw = reader.createValueBytes();
            final int head = headOf(reader.getKeyClassName());
            while (reader.nextRaw(key, raw) >= 0) {
                raw.writeUncompressedBytes(value);
                digest.add(
                        key.getData(),
                        head,
                        key.getLength() - head,
                        value.getData(),
                        0,
                        value.getLength());
                key.reset();
                value.reset();
            }
        }
    }

    private static int headOf(final String keyClass) {
        if (!"org.apache.hadoop.io.BytesWritable".equals(keyClass)) {
            throw new IllegalArgumentException(
                    "key class " + keyClass + ": expected BytesWritable");
        }
        return Integer.BYTES;
    }
}
