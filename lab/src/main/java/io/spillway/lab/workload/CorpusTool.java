// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;

/**
 * Writes real text: the Java sources in the given jars, over and over, into a given number of files
 * of a given size in all. Each file begins with another source, so that they differ.
 */
final class CorpusTool extends Configured implements Tool {
    private static final int LARGEST_SOURCE = 16 << 20;

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length < 4) {
            System.err.println("corpus OUT BYTES FILES JAR...");
            return 2;
        }
        final long bytes = Long.parseLong(arguments[1]);
        final int files = Integer.parseInt(arguments[2]);
        final List<byte[]> sources = read(Arrays.asList(arguments).subList(3, arguments.length));
        if (sources.isEmpty()) {
            System.err.println("no .java file in the jars");
            return 1;
        }
        final Path folder = new Path(arguments[0]);
        final FileSystem fs = folder.getFileSystem(getConf());
        for (int file = 0; file < files; file++) {
            final long share = bytes * (file + 1) / files - bytes * file / files;
            final int first = (int) ((long) sources.size() * file / files);
            try (OutputStream out =
                    fs.create(new Path(folder, String.format("text-%05d", file)), true)) {
                write(out, sources, first, share);
            }
        }
        return 0;
    }

    private static List<byte[]> read(final List<String> jars) throws IOException {
        final List<byte[]> sources = new ArrayList<>();
        for (final String jar : jars) {
            try (ZipFile zip = new ZipFile(jar)) {
                final Enumeration<? extends ZipEntry> entries = zip.entries();
                while (entries.hasMoreElements()) {
                    final ZipEntry entry = entries.nextElement();
                    if (entry.getName().endsWith(".java")) {
                        sources.add(zip.getInputStream(entry).readNBytes(LARGEST_SOURCE));
                    }
                }
            }
        }
        return sources;
    }

    private static void write(
            final OutputStream out, final List<byte[]> sources, final int first, final long share)
            throws IOException {
        long left = share;
        for (int index = first; left > 0; index = (index + 1) % sources.size()) {
            final byte[] source = sources.get(index);
            final int length = (int) Math.min(left, source.length);
            out.write(source, 0, length);
            left -= length;
        }
    }
}
