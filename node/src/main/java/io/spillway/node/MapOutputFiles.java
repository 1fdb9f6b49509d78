// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.host.OwnUser;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.node.file.OpenFile;
import io.spillway.store.pool.FilePool;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.io.SecureIOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the files of map outputs where the framework's tasks put them. Thread-safe. */
final class MapOutputFiles {
    /** Bounds what a damaged or hostile index makes us allocate; about 1.4 million partitions. */
    static final int MAX_INDEX_LENGTH = 32 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(MapOutputFiles.class);

    private final MapOutputLayout layout;
    private final MapOutputLocator locator;
    private final List<Path> storeRoots;
    private final Optional<SharedOutputs> shared;

    /**
     * Creates the opener.
     *
     * @param storeRoots folders in which a map output may lie to which a link leads
     * @param shared where map outputs lie on a shared file system
     */
    MapOutputFiles(
            final MapOutputLayout layout,
            final MapOutputLocator locator,
            final List<Path> storeRoots,
            final Optional<SharedOutputs> shared) {
        this.layout = Objects.requireNonNull(layout, "layout");
        this.locator = Objects.requireNonNull(locator, "locator");
        this.storeRoots = List.copyOf(storeRoots);
        this.shared = shared;
    }

    /**
     * The map attempts of a job whose outputs lie on disk as one file, as far as can be seen
     * without opening them: some may not be finished.
     */
    List<String> attemptsOnDisk(final String user, final String jobId) {
        final List<String> attempts = new ArrayList<>();
        final String folder = layout.jobFolder(user, jobId);
        for (final File outputs : locator.locateAll(folder)) {
            final String[] names = outputs.list();
            for (final String name : names == null ? new String[0] : names) {
                final Path output = outputs.toPath().resolve(name);
                if (layout.isOutputOf(jobId, name) && isOnDisk(output.resolve(layout.dataFile()))) {
                    attempts.add(name);
                }
            }
        }
        return attempts;
    }

    /** What lies in a store has a link; beside runs and places an empty file. */
    private static boolean isOnDisk(final Path data) {
        try {
            final BasicFileAttributes attributes =
                    Files.readAttributes(
                            data, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile() && attributes.size() > 0;
        } catch (final IOException e) {
            LOG.debug("{} is not there", data, e);
            return false;
        }
    }

    /** Finds out in which files a segment's run lies, or which other node has it. */
    OutputFinding find(final String user, final String jobId, final SegmentId segment)
            throws FetchException {
        final String attempt = segment.output();
        final FetchException noIndex;
        try {
            locate(user, jobId, attempt, layout.indexFile());
            requireRun(segment, 1);
            return new OutputFinding.Here(1, layout.dataFile(), layout.indexFile());
        } catch (final FileNotFoundException e) {
            noIndex = absent(attempt, layout.indexFile(), e);
        }
        try {
            return findRun(user, segment, locate(user, jobId, attempt, MapOutputRuns.FILE));
        } catch (final FileNotFoundException e) {
            noIndex.addSuppressed(e);
        }
        try {
            return findPlace(user, locate(user, jobId, attempt, MapOutputPlaces.FILE));
        } catch (final FileNotFoundException e) {
            noIndex.addSuppressed(e);
        }
        throw noIndex;
    }

    private OutputFinding.Here findRun(final String user, final SegmentId segment, final File file)
            throws FetchException {
        final int runs;
        try {
            final ByteBuffer encoded = readAll(file, user, MAX_INDEX_LENGTH);
            runs = MapOutputRuns.readFrom(encoded, file.getPath()).count();
        } catch (final IOException e) {
            throw failure(file, e);
        }
        requireRun(segment, runs);
        final int run = segment.run();
        return new OutputFinding.Here(
                runs, MapOutputRuns.dataFile(run), MapOutputRuns.indexFile(run));
    }

    /** Of how many runs the output is, those nodes know. */
    private OutputFinding.Elsewhere findPlace(final String user, final File file)
            throws FetchException {
        final MapOutputPlaces places;
        try {
            final ByteBuffer encoded = readAll(file, user, MapOutputPlaces.MAX_LENGTH);
            places = MapOutputPlaces.readFrom(encoded, file.getPath());
        } catch (final IOException e) {
            throw failure(file, e);
        }
        return new OutputFinding.Elsewhere(new SegmentPlaces(places.places()));
    }

    private static void requireRun(final SegmentId segment, final int runs) throws FetchException {
        if (segment.run() >= runs) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE,
                    "run="
                            + segment.run()
                            + " of "
                            + segment.output()
                            + ", expected 0 to "
                            + (runs - 1));
        }
    }

    private ByteBuffer readAll(final File file, final String user, final int maxLength)
            throws IOException {
        try (RandomAccessFile in = openRegular(file, user)) {
            return ByteBuffer.wrap(readAll(in, maxLength));
        }
    }

    /** Reads all of a file. */
    static byte[] readAll(final RandomAccessFile in, final int maxLength) throws IOException {
        final long length = in.length();
        if (length > maxLength) {
            throw new IOException("length=" + length + ", expected at most " + maxLength);
        }
        final byte[] bytes = new byte[(int) length];
        in.readFully(bytes);
        return bytes;
    }

    /**
     * Opens a data file.
     *
     * @param name its name, as {@link #find} gives it
     */
    OpenFile openData(
            final String user, final String jobId, final String attempt, final String name)
            throws FetchException {
        final File file = require(user, jobId, attempt, name);
        try {
            return openFile(file, user, new Owner(jobId, attempt), name.equals(layout.dataFile()));
        } catch (final IOException e) {
            throw failure(file, e);
        }
    }

    /**
     * Opens a data file.
     *
     * @param isWhole whether the file is all of a map output, not a run
     */
    private OpenFile openFile(
            final File file, final String user, final Owner owner, final boolean isWhole)
            throws IOException {
        final Tier tier = tierOf(file.toPath(), owner, isWhole);
        final FileChannel channel = open(file, user, owner).getChannel();
        try {
            return new OpenFile(channel, tier);
        } catch (final IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Whose a data file is. */
    private record Owner(String jobId, String attempt) {}

    /** What lies in a tier but the disk, as all runs do, has a link in a local directory. */
    private Tier tierOf(final Path file, final Owner owner, final boolean isWhole)
            throws IOException {
        if (!Files.isSymbolicLink(file)) {
            return isWhole ? Tiers.DISK : Tiers.UNKNOWN;
        }
        final Path target = Files.readSymbolicLink(file).normalize();
        if (isShared(target, owner)) {
            return Tiers.LUSTRE;
        }
        return storeRoots.stream()
                .filter(target::startsWith)
                .map(root -> Tiers.ofFolder(root.getFileName().toString()))
                .findFirst()
                .orElse(Tiers.UNKNOWN);
    }

    /**
     * The files that tell of a data file.
     *
     * @param names as {@link #find} gives them
     * @param dataLength the length of the data file, which every segment must lie in
     */
    RunFiles runFiles(
            final String user,
            final String jobId,
            final String attempt,
            final OutputFinding.Here names,
            final long dataLength)
            throws FetchException {
        final File index = require(user, jobId, attempt, names.index());
        return new RunFiles(
                index, names.data(), names.runs(), dataLength, file -> openRegular(file, user));
    }

    private File locate(
            final String user, final String jobId, final String attempt, final String name)
            throws FileNotFoundException {
        final String folder = layout.jobFolder(user, jobId);
        return locator.locate(String.join("/", folder, attempt, name));
    }

    private File require(
            final String user, final String jobId, final String attempt, final String name)
            throws FetchException {
        try {
            return locate(user, jobId, attempt, name);
        } catch (final FileNotFoundException e) {
            throw absent(attempt, name, e);
        }
    }

    private static FetchException absent(
            final String attempt, final String name, final FileNotFoundException cause) {
        return new FetchException(
                Reason.NOT_FOUND, "this node has no " + name + " of " + attempt, cause);
    }

    /**
     * Opens a file for reading; where security is on, only when the user owns it. It opens only
     * regular files, because others could block or lead elsewhere. It follows a link to a file of
     * the same attempt in a store of this node, which owns all files there, and to the place of
     * this output on a shared file system. It follows no other link: stores and shared file systems
     * also have outputs of other jobs and other users.
     */
    private RandomAccessFile open(final File file, final String user, final Owner owner)
            throws IOException {
        final Path target = file.toPath();
        if (Files.isSymbolicLink(target)) {
            final Path place = inStore(target, owner);
            final String expected = isShared(place, owner) ? user : OwnUser.name();
            return SecureIOUtils.openForRandomRead(place.toFile(), "r", expected, null);
        }
        return openRegular(file, user);
    }

    private static RandomAccessFile openRegular(final File file, final String user)
            throws IOException {
        if (file.exists() && !Files.isRegularFile(file.toPath(), LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("not a regular file");
        }
        return SecureIOUtils.openForRandomRead(file, "r", user, null);
    }

    private boolean isShared(final Path target, final Owner owner) {
        return shared.isPresent() && shared.get().isPlaceOf(target, owner.jobId(), owner.attempt());
    }

    private Path inStore(final Path link, final Owner owner) throws IOException {
        final Path target = Files.readSymbolicLink(link).normalize();
        final boolean isLeased =
                storeRoots.stream()
                        .anyMatch(root -> FilePool.isOfAttempt(root, target, owner.attempt()));
        if (!isLeased && !isShared(target, owner)) {
            throw new IOException(
                    "a link to "
                            + target
                            + ", expected a regular file or a link to a file of the attempt in one"
                            + " of "
                            + storeRoots
                            + shared.map(s -> ", or to the output's place in " + s.directory())
                                    .orElse(""));
        }
        if (!Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileNotFoundException(target + " is missing from its store");
        }
        return target;
    }

    static FetchException failure(final File file, final IOException cause) {
        final boolean gone = cause instanceof FileNotFoundException && !file.exists();
        return new FetchException(
                gone ? Reason.NOT_FOUND : Reason.SOURCE_FAILED,
                file + ": " + cause.getMessage(),
                cause);
    }
}
