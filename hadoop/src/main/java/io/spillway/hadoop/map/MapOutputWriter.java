package io.spillway.hadoop.map;

import io.spillway.ifile.MapOutputIndex;
import io.spillway.store.Spill;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputFile;

/**
 * The map output files, {@code file.out} and {@code file.out.index}, where and as stock leaves
 * them: stock's handler serves them, and the uber and local runners rename them. One thread.
 */
final class MapOutputWriter {
    /** What a shuffle handler of another user of the group needs; MapTask.SHUFFLE_OUTPUT_PERM. */
    private static final FsPermission SHUFFLE_PERMISSION = new FsPermission((short) 0640);

    /** What MapOutputFile adds to the name of the data file. */
    private static final String INDEX_SUFFIX = ".index";

    private static final int COPY_BUFFER = 128 << 10;

    private final FileSystem fs;
    private final JobConf job;
    private final MapOutputFile files;

    MapOutputWriter(final JobConf job, final MapOutputFile files) throws IOException {
        this.fs = rawLocal(job);
        this.job = job;
        this.files = files;
    }

    /** The local file system without checksum files: map output carries its own checksums. */
    static FileSystem rawLocal(final JobConf job) throws IOException {
        final LocalFileSystem local = FileSystem.getLocal(job);
        return local.getRaw();
    }

    /**
     * Creates {@code file.out} in a local directory with room for it.
     *
     * @param expectedBytes the expected length
     */
    OutputStream create(final long expectedBytes) throws IOException {
        return fs.create(files.getOutputFileForWrite(expectedBytes), true);
    }

    /**
     * Makes a finished spill the map output: by renaming it where it is a file, else by copying.
     */
    void adopt(final SortedSpill spill) throws IOException {
        final Optional<java.nio.file.Path> file = spill.data().file();
        if (file.isPresent()) {
            rename(file.get());
        } else {
            copy(spill.data());
        }
        finish(spill.index());
    }

    private void rename(final java.nio.file.Path spill) throws IOException {
        final Path target =
                files.getOutputFileForWriteInVolume(new Path(spill.toAbsolutePath().toString()));
        final java.nio.file.Path output = java.nio.file.Path.of(target.toUri().getPath());
        Files.createDirectories(output.getParent());
        Files.move(spill, output);
    }

    private void copy(final Spill spill) throws IOException {
        try (InputStream in = spill.open(0, spill.length());
                OutputStream out = create(spill.length())) {
            IOUtils.copyBytes(in, out, COPY_BUFFER, false);
        }
        spill.delete();
    }

    /**
     * Writes the index of the map output just written, and makes both files readable to handlers.
     */
    void finish(final MapOutputIndex index) throws IOException {
        final Path output = files.getOutputFile();
        final Path indexPath = output.suffix(INDEX_SUFFIX);
        try (OutputStream out = fs.create(indexPath, true)) {
            index.writeTo(out);
        }
        final FsPermission created = SHUFFLE_PERMISSION.applyUMask(FsPermission.getUMask(job));
        if (!SHUFFLE_PERMISSION.equals(created)) {
            fs.setPermission(output, SHUFFLE_PERMISSION);
            fs.setPermission(indexPath, SHUFFLE_PERMISSION);
        }
    }

    /** The length of the map output, in bytes. */
    long length() throws IOException {
        return fs.getFileStatus(files.getOutputFile()).getLen();
    }
}
