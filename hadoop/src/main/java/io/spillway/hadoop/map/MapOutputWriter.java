// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.spi.OutputFiles;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.shared.SharedOutputTail;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.SegmentPlace;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map output files, {@code file.out} and {@code file.out.index}, where and as stock leaves
 * them: stock's handler serves them, and the uber and local runners rename them; or files of
 * Spillway's own in their place, where all readers are its own. One thread.
 */
final class MapOutputWriter implements OutputFiles {
    private static final Logger LOG = LoggerFactory.getLogger(MapOutputWriter.class);

    /** What a shuffle handler of another user of the group needs; MapTask.SHUFFLE_OUTPUT_PERM. */
    private static final FsPermission SHUFFLE_PERMISSION = new FsPermission((short) 0640);

    /** What MapOutputFile adds to the name of the data file. */
    private static final String INDEX_SUFFIX = ".index";

    private static final int COPY_BUFFER = 128 << 10;

    /** The output's name in its store. */
    private static final String NAME = "file.out";

    private final FileSystem fs;
    private final JobConf job;
    private final MapOutputFile files;
    private final MapStores stores;
    private final OutputPlacer placer;
    private final String output;
    private long length;

    /**
     * Creates a writer.
     *
     * @param placer finds other nodes for the output
     * @param output its name there
     */
    MapOutputWriter(
            final JobConf job,
            final MapOutputFile files,
            final MapStores stores,
            final OutputPlacer placer,
            final String output)
            throws IOException {
        this.fs = TaskTiers.rawLocal(job);
        this.job = job;
        this.files = files;
        this.stores = stores;
        this.placer = placer;
        this.output = output;
    }

    /**
     * Creates the output in the first tier with room for it.
     *
     * @param expectedBytes the expected length
     */
    @Override
    public SpillSink create(final long expectedBytes) throws IOException {
        return stores.output().create(NAME, expectedBytes);
    }

    /**
     * Makes a finished spill the map output: where it is, by renaming it, else by copying.
     *
     * @return the output
     */
    @Override
    public Spill adopt(final SortedSpill spill) throws IOException {
        final Spill data = spill.data();
        if (data.file().isPresent() && stores.canAdopt(Tiers.named(data.store()))) {
            rename(data.file().get());
            finishInPlace(spill);
            return data;
        }
        if (stores.canServeInPlace(data)) {
            return finish(spill);
        }
        return copy(spill, stores.output());
    }

    private void rename(final java.nio.file.Path spill) throws IOException {
        final Path target =
                files.getOutputFileForWriteInVolume(new Path(spill.toAbsolutePath().toString()));
        final java.nio.file.Path output = java.nio.file.Path.of(target.toUri().getPath());
        Files.createDirectories(output.getParent());
        Files.move(spill, output);
    }

    private Spill copy(final SortedSpill spill, final SpillStore target) throws IOException {
        final Spill copied;
        final long bytes = spill.data().length();
        try (InputStream in = spill.data().open(0, bytes);
                SpillSink out = target.create(NAME, bytes)) {
            IOUtils.copyBytes(in, out, COPY_BUFFER, false);
            copied = out.commit();
        }
        spill.data().delete();
        return finish(spill.at(copied));
    }

    /**
     * Puts a link where stock looks for the output, unless the output is there itself; writes the
     * checksums of its blocks and, last, the index, and makes them readable to handlers.
     */
    @Override
    public Spill finish(final SortedSpill written) throws IOException {
        final Spill data = written.data();
        try {
            data.seal(() -> tail(written).encoded());
        } catch (final IOException e) {
            LOG.warn("{} moves from {} to the tiers after it", output, data.store(), e);
            return copy(written, stores.outputWithout(data.store()));
        }
        if (stores.isLent(Tiers.named(data.store()))) {
            // Stock's Task reads the status of file.out, and this user cannot follow a link.
            leaveRuns(List.of(written));
            return data;
        }
        if (data.file().isEmpty()) {
            link(data, files.getOutputFileForWrite(0));
        }
        finishInPlace(written);
        return data;
    }

    /** What readers look for that find the output without its host. */
    private SharedOutputTail tail(final SortedSpill written) {
        return new SharedOutputTail(
                output,
                written.data().length(),
                written.index(),
                written.checksums(),
                written.counts());
    }

    /** Makes spills the output as they are: each is served where it is, by its own name. */
    @Override
    public void leaveRuns(final List<SortedSpill> runs) throws IOException {
        final Path empty = createEmpty();
        length = 0;
        for (int run = 0; run < runs.size(); run++) {
            final SortedSpill spill = runs.get(run);
            final Path link = new Path(empty.getParent(), MapOutputRuns.dataFile(run));
            link(spill.data(), link);
            writeBeside(spill, link, runs.size());
            final Path index = new Path(empty.getParent(), MapOutputRuns.indexFile(run));
            write(index, spill.index()::writeTo);
            makeReadable(index);
            length += spill.data().length();
        }
        final Path last = new Path(empty.getParent(), MapOutputRuns.FILE);
        write(last, new MapOutputRuns(runs.size())::writeTo);
        makeReadable(empty, last);
    }

    /**
     * An empty file stands where stock's Task looks for the output's length; without an index
     * beside it, no stock handler takes it for the output.
     */
    private Path createEmpty() throws IOException {
        final Path empty = files.getOutputFileForWrite(0);
        fs.create(empty, true).close();
        return empty;
    }

    @Override
    public Optional<RemoteOutput> remote(final long expectedBytes) {
        return stores.keepsHere(expectedBytes)
                ? Optional.empty()
                : placer.place(output, expectedBytes);
    }

    /** Writes a file beside the empty output by which the node of this host sends reducers on. */
    @Override
    public void leavePlaces(final List<SegmentPlace> places, final long bytes) throws IOException {
        final Path empty = createEmpty();
        final Path last = new Path(empty.getParent(), MapOutputPlaces.FILE);
        write(last, new MapOutputPlaces(places)::writeTo);
        makeReadable(empty, last);
        length = bytes;
    }

    /** Only a store whose files others can open takes map outputs. */
    private static void link(final Spill data, final Path local) throws IOException {
        final java.nio.file.Path target = data.holder().orElseThrow();
        final java.nio.file.Path link = java.nio.file.Path.of(local.toUri().getPath());
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
    }

    private void finishInPlace(final SortedSpill spill) throws IOException {
        length = spill.data().length();
        final Path output = files.getOutputFile();
        writeBeside(spill, output, 1);
        final Path indexPath = output.suffix(INDEX_SUFFIX);
        write(indexPath, spill.index()::writeTo);
        makeReadable(output, indexPath);
    }

    /** What reducers verify by: checksums and the account of records. */
    private void writeBeside(final SortedSpill spill, final Path data, final int runs)
            throws IOException {
        writeChecksums(spill, data, runs);
        final Path account = data.suffix(RecordCounts.SUFFIX);
        write(account, out -> spill.counts().writeTo(out, runs));
        makeReadable(account);
    }

    /** Without the file, reducers have the segments' own checksums only. */
    private void writeChecksums(final SortedSpill spill, final Path data, final int runs)
            throws IOException {
        final BlockChecksums checksums = spill.checksums();
        if (checksums == null) {
            LOG.warn("{} has no block checksums: it has too many blocks", data);
            return;
        }
        final Path file = data.suffix(BlockChecksums.SUFFIX);
        write(file, out -> checksums.writeTo(out, runs));
        makeReadable(file);
    }

    /** Writes a whole file. */
    @FunctionalInterface
    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private void write(final Path file, final Content content) throws IOException {
        try (OutputStream out = fs.create(file, true)) {
            content.writeTo(out);
        }
    }

    private void makeReadable(final Path... written) throws IOException {
        final FsPermission created = SHUFFLE_PERMISSION.applyUMask(FsPermission.getUMask(job));
        if (!SHUFFLE_PERMISSION.equals(created)) {
            for (final Path file : written) {
                fs.setPermission(file, SHUFFLE_PERMISSION);
            }
        }
    }

    @Override
    public boolean canServeInPlace(final Spill spill) {
        return stores.canServeInPlace(spill);
    }

    @Override
    public boolean servesSpillsInPlace() {
        return stores.servesSpillsInPlace();
    }

    @Override
    public void keep() throws IOException {
        stores.keepOutput();
    }

    /** The length of the map output, in bytes. */
    @Override
    public long length() {
        return length;
    }
}
