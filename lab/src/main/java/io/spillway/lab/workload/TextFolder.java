// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.util.LineReader;

/** The lines of all files of a folder but hidden ones, file by file. One thread. */
final class TextFolder {
    private static final int BUFFER = 1 << 20;

    private final Configuration conf;
    private final Path folder;

    TextFolder(final Configuration conf, final Path folder) {
        this.conf = conf;
        this.folder = folder;
    }

    /** Takes lines. */
    @FunctionalInterface
    interface Reader {
        void line(String file, String line) throws IOException;
    }

    private FileStatus[] files() throws IOException {
        final FileSystem fs = folder.getFileSystem(conf);
        return fs.listStatus(folder, path -> !isHidden(path.getName()));
    }

    private static boolean isHidden(final String name) {
        return name.startsWith("_") || name.startsWith(".");
    }

    /** The bytes of all files. */
    long bytes() throws IOException {
        long bytes = 0;
        for (final FileStatus file : files()) {
            bytes += file.getLen();
        }
        return bytes;
    }

    /** Reads all lines, files in the order of their names. */
    void forEach(final Reader reader) throws IOException {
        for (final FileStatus file : files()) {
            final Path path = file.getPath();
            try (LineReader lines = new LineReader(path.getFileSystem(conf).open(path), BUFFER)) {
                final Text line = new Text();
                while (lines.readLine(line) > 0) {
                    reader.line(path.getName(), line.toString());
                }
            }
        }
    }
}
