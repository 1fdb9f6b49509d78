// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.conf.TierName;
import io.spillway.hadoop.tier.StoreSettings;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.shared.SharedOutputFile;
import io.spillway.ifile.shared.SharedOutputTail;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.store.tier.LustreTier;
import io.spillway.store.tier.StoreKeys;
import io.spillway.store.tier.Tier;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.sharedfs.OutputDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The map outputs of the lustre tier, as a reducer on any host opens them. The folders of a job and
 * of each host are looked at once: only the job's user may have put files there.
 */
final class SharedMapOutputs implements OutputDirectory {
    private static final Tier TIER = new LustreTier();

    private final SharedOutputs places;
    private final Set<Path> trusted = ConcurrentHashMap.newKeySet();

    SharedMapOutputs(final SharedOutputs places) {
        this.places = places;
    }

    /**
     * The directory of a job whose maps may leave outputs in it; nothing where they do not, or
     * where this host does not have it.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    static Optional<OutputDirectory> of(final Function<String, String> settings) {
        final boolean isUsed =
                StoreSettings.of(settings).outputTiers().stream()
                        .map(TierName::label)
                        .anyMatch(TIER.label()::equals);
        return StoreKeys.STORE_LUSTRE_DIR
                .get(settings)
                .path()
                .filter(directory -> isUsed && Files.isDirectory(directory))
                .map(directory -> new SharedMapOutputs(new SharedOutputs(directory)));
    }

    @Override
    public int tier() {
        return TIER.code();
    }

    @Override
    public OpenOutput open(final String jobId, final String host, final String output)
            throws IOException {
        if (!SharedOutputs.isPlain(host)) {
            return null;
        }
        final SharedOutputFile file;
        try {
            trust(places.job(jobId));
            trust(places.host(jobId, host));
            file = SharedOutputFile.open(places.output(jobId, host, output));
        } catch (final NoSuchFileException e) {
            return null;
        }
        try {
            return new OpenMapOutput(file, file.readTail(output));
        } catch (final IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private void trust(final Path folder) throws IOException {
        if (!trusted.contains(folder)) {
            SharedOutputs.requireOwn(folder);
            trusted.add(folder);
        }
    }

    private record OpenMapOutput(SharedOutputFile file, SharedOutputTail tail)
            implements OpenOutput {
        @Override
        public ServedSegment segment(final int partition, final int run) throws FetchException {
            if (partition >= tail.index().partitions() || run > 0) {
                throw new FetchException(
                        FetchException.Reason.OUT_OF_RANGE,
                        tail.output()
                                + ": partition="
                                + partition
                                + " run="
                                + run
                                + ", expected less than "
                                + tail.index().partitions()
                                + " and 1");
            }
            return new SharedSegment(file, tail, partition, tail.index().get(partition));
        }

        @Override
        public long position(final int partition) {
            return partition < tail.index().partitions()
                    ? tail.index().get(partition).startOffset()
                    : 0;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** A segment of an open file, which is not the segment's to close. */
    private record SharedSegment(
            SharedOutputFile file, SharedOutputTail tail, int partition, IndexEntry entry)
            implements ServedSegment {
        @Override
        public long partLength() {
            return entry.partLength();
        }

        @Override
        public long rawLength() {
            return entry.rawLength();
        }

        @Override
        public long records() {
            return tail.counts().of(partition);
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) throws IOException {
            file.readFully(destination, entry.startOffset() + offset);
        }

        @Override
        public long checksum(final long offset, final int length) {
            final BlockChecksums checksums = tail.checksums();
            return checksums == null
                    ? FetchReply.NO_CHECKSUM
                    : checksums.of(partition, entry.partLength(), offset, length);
        }

        @Override
        public TierName tier() {
            return TIER;
        }

        @Override
        public void close() {}
    }
}
