// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.conf.TierPreference;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillStore;
import io.spillway.store.pool.FileLease;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.shared.SharedOutput;
import io.spillway.store.tier.TaskSite;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.TierSelection;
import io.spillway.store.tier.WriteSpeeds;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the tiers of one task attempt, as its node offers them. What it leases is the attempt's own
 * folder in the node's: it goes back when the stores are closed, and is taken back by the node when
 * the attempt has died. One thread at a time.
 */
public final class TaskTiers {
    private static final Logger LOG = LoggerFactory.getLogger(TaskTiers.class);

    /**
     * What YARN calls the variable with the host's name, as it stands in completion events; a
     * LocalJobRunner has none.
     */
    private static final String HOST = "NM_HOST";

    /** A local directory is LOCAL/usercache/USER/appcache/APPLICATION to a task. */
    private static final int LEVELS_BELOW_LOCAL_DIR = 4;

    private final JobConf job;
    private final TaskAttemptID attempt;
    private final StoreSettings settings;
    private final Optional<Path> local;
    private final TierAdvertisement offered;
    private final WriteSpeeds speeds;
    private final Map<Tier, FileLease> leases = new LinkedHashMap<>();

    /** Looks at what the node offers; takes nothing yet. */
    public TaskTiers(final JobConf job, final TaskAttemptID attempt, final StoreSettings settings) {
        this.job = job;
        this.attempt = attempt;
        this.settings = settings;
        this.local = localDirectory(job);
        this.offered = local.isPresent() ? offeredIn(local.get()) : TierAdvertisement.none();
        this.speeds = local.isPresent() ? speedsIn(local.get()) : new WriteSpeeds();
    }

    /** The node's local directory above the task's own; none in a LocalJobRunner. */
    private static Optional<Path> localDirectory(final JobConf job) {
        return localDirectories(job).stream()
                .limit(1)
                .filter(local -> Files.isRegularFile(local.resolve(TierAdvertisement.FILE)))
                .findFirst();
    }

    /**
     * The node's local directories above the task's own, in the order of the task's; something else
     * in a LocalJobRunner.
     */
    public static List<Path> localDirectories(final JobConf job) {
        final List<Path> above = new ArrayList<>();
        for (final String directory : job.getTrimmedStrings(MRConfig.LOCAL_DIR)) {
            Path local = Path.of(directory).toAbsolutePath();
            for (int i = 0; i < LEVELS_BELOW_LOCAL_DIR && local != null; i++) {
                local = local.getParent();
            }
            if (local != null) {
                above.add(local);
            }
        }
        return above;
    }

    /** Whether the task's NodeManager serves Spillway's protocol at this moment. */
    public static boolean isOnNodeOfSpillway(final JobConf job) {
        final Optional<Path> local = localDirectory(job);
        return local.isPresent() && isLive(offeredIn(local.get()));
    }

    private static boolean isLive(final TierAdvertisement offered) {
        return offered.process() != TierAdvertisement.none().process();
    }

    /**
     * What the node offers. Where reducers of this build cannot speak with it they use stock HTTP:
     * then the task leaves only what has a form there, as beside a stock handler.
     */
    private static TierAdvertisement offeredIn(final Path local) {
        try {
            final TierAdvertisement offered = TierAdvertisement.readFrom(local);
            if (offered.versions().newestCommon(FrameType.VERSIONS).isPresent()) {
                return offered;
            }
            LOG.warn(
                    "The NodeManager speaks versions {} of the protocol, expected one of {}: the"
                            + " output goes to disk, in one file. Upgrade it by one version at a"
                            + " time",
                    offered.versions(),
                    FrameType.VERSIONS);
            return TierAdvertisement.none();
        } catch (final IOException e) {
            LOG.warn("What the node offers cannot be read: {}", e.getMessage());
            return TierAdvertisement.none();
        }
    }

    private static WriteSpeeds speedsIn(final Path local) {
        try {
            return WriteSpeeds.readFrom(local);
        } catch (final IOException e) {
            LOG.warn("The speeds of the node's tiers cannot be read: {}", e.getMessage());
            return new WriteSpeeds();
        }
    }

    /** How a chain of these tiers is ordered. */
    public TierSelection selection() {
        return settings.tierPreference() == TierPreference.SPEED
                ? TierSelection.bySpeed(speeds, (double) settings.slowBytesPerSecond())
                : TierSelection.inOrder(speeds);
    }

    /** The disk tier. */
    public SpillStore disk(final DiskSpillStore.SpillFiles where) throws IOException {
        return new DiskSpillStore(rawLocal(job), where);
    }

    /** The local file system without checksum files: what tasks make has checksums of its own. */
    public static FileSystem rawLocal(final JobConf job) throws IOException {
        return FileSystem.getLocal(job).getRaw();
    }

    /**
     * A tier that others can open; nothing where there is none.
     *
     * @param where files of the disk tier lie
     */
    public Optional<SpillStore> served(final Tier tier, final DiskSpillStore.SpillFiles where) {
        return tier.served(new Site(where));
    }

    /** Whether a tier was opened, and lies in files of the node. */
    public boolean isLeased(final Tier tier) {
        return leases.containsKey(tier);
    }

    /**
     * A tier for what only the task reads.
     *
     * @param where files of the disk tier lie
     */
    public SpillStore own(final Tier tier, final DiskSpillStore.SpillFiles where)
            throws IOException {
        return tier.own(new Site(where));
    }

    /** What this task gives its tiers. */
    private final class Site implements TaskSite {
        private final DiskSpillStore.SpillFiles where;

        Site(final DiskSpillStore.SpillFiles where) {
            this.where = where;
        }

        @Override
        public Function<String, String> settings() {
            return settings.lookup();
        }

        @Override
        public Optional<FileLease> lease(final Tier tier, final long reserve) {
            return leased(tier, reserve);
        }

        @Override
        public Optional<SharedOutput> output() {
            return Optional.ofNullable(System.getenv(HOST))
                    .map(
                            host ->
                                    new SharedOutput(
                                            attempt.getJobID().toString(),
                                            host,
                                            attempt.toString()));
        }

        /** A handler that is not Spillway's follows any link. */
        @Override
        public boolean serves(final Path sharedDirectory) {
            return !isLive(offered) || offered.shared().equals(Optional.of(sharedDirectory));
        }

        @Override
        public SpillStore localDisk() throws IOException {
            return disk(where);
        }
    }

    private Optional<FileLease> leased(final Tier tier, final long reserve) {
        if (leases.containsKey(tier)) {
            return Optional.of(leases.get(tier));
        }
        final Optional<FilePool> folder = offered.folder(tier.label());
        if (folder.isEmpty()) {
            return Optional.empty();
        }
        try {
            final FreeSpace room = new FreeSpace(folder.get().root(), reserve);
            final FileLease lease =
                    folder.get().lease(application(attempt), attempt.toString(), room);
            leases.put(tier, lease);
            return Optional.of(lease);
        } catch (final IOException e) {
            LOG.warn("The node's {} tier cannot be used: {}", tier.label(), e.getMessage());
            return Optional.empty();
        }
    }

    private static String application(final TaskAttemptID attempt) {
        return attempt.getJobID().toString().replaceFirst("^job_", "application_");
    }

    /** Keeps what is left in the node's folders until the job ends, and what was measured. */
    public void keep() throws IOException {
        for (final FileLease lease : leases.values()) {
            lease.commit();
        }
        passSpeedsOn();
    }

    /** Leaves what was measured for the tasks to come. */
    private void passSpeedsOn() {
        if (local.isEmpty()) {
            return;
        }
        try {
            speeds.writeTo(local.get());
        } catch (final IOException e) {
            LOG.debug("The speeds of the node's tiers cannot be written", e);
        }
    }
}
