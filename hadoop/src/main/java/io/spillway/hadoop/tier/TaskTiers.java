// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.conf.TierPreference;
import io.spillway.node.descriptor.DescriptorLease;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillStore;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.Lease;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.shared.SharedOutput;
import io.spillway.store.tier.TaskSite;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.TierSelection;
import io.spillway.store.tier.WriteSpeeds;
import io.spillway.transport.JobCredentials;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.crypto.SecretKey;
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
    private final SecretKey secret;
    private final Map<Tier, Lease> leases = new LinkedHashMap<>();

    /** The tiers of {@link #leases} whose folders this user cannot enter. */
    private final Set<Tier> lent = new HashSet<>();

    /** The tiers that the node has refused. */
    private final Set<Tier> refused = new HashSet<>();

    /**
     * Reads the node's offer; takes no lease yet.
     *
     * @param secret the job's shuffle secret, or null, with which a node of another user gives no
     *     files
     */
    public TaskTiers(
            final JobConf job,
            final TaskAttemptID attempt,
            final StoreSettings settings,
            final SecretKey secret) {
        this.secret = secret;
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

    /**
     * Whether the task's NodeManager runs as another user, and gives its tasks descriptors. Then
     * other hosts may do the same, and maps leave outputs that only Spillway's reducers can read.
     */
    public static boolean hasDescriptors(final JobConf job) {
        final TierAdvertisement offered =
                localDirectory(job).map(TaskTiers::offeredIn).orElse(TierAdvertisement.none());
        return offered.socket().isPresent()
                && offered.folders().keySet().stream()
                        .noneMatch(tier -> offered.folder(tier).isPresent());
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
     * Whether a tier was opened, and only the node can enter its folders: another user's tasks have
     * descriptors of the files.
     */
    public boolean isLent(final Tier tier) {
        return lent.contains(tier);
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
        public Optional<Lease> lease(final Tier tier, final long reserve) {
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

    private Optional<Lease> leased(final Tier tier, final long reserve) {
        if (leases.containsKey(tier) || refused.contains(tier)) {
            return Optional.ofNullable(leases.get(tier));
        }
        try {
            final Optional<FilePool> folder = offered.folder(tier.label());
            if (folder.isPresent()) {
                leases.put(tier, lease(folder.get(), reserve));
            } else if (isOfAnotherUser(tier)) {
                leases.put(tier, descriptors(tier));
                lent.add(tier);
            }
        } catch (final IOException | LinkageError e) {
            refused.add(tier);
            LOG.warn("The node's {} tier cannot be used: {}", tier.label(), e.toString());
        }
        return Optional.ofNullable(leases.get(tier));
    }

    private Lease lease(final FilePool folder, final long reserve) throws IOException {
        final FreeSpace room = new FreeSpace(folder.root(), reserve);
        return folder.lease(application(attempt), attempt.toString(), room);
    }

    private boolean isOfAnotherUser(final Tier tier) {
        return secret != null
                && offered.socket().isPresent()
                && offered.folders().containsKey(tier.label());
    }

    /** Leases files of a node that runs as the owner of its local directories. */
    private Lease descriptors(final Tier tier) throws IOException {
        final Path offer = local.orElseThrow().resolve(TierAdvertisement.FILE);
        return DescriptorLease.open(
                offered.socket().orElseThrow(),
                (Integer) Files.getAttribute(offer, "unix:uid"),
                new JobCredentials(attempt.getJobID().toString(), secret.getEncoded()),
                attempt.toString(),
                tier);
    }

    private static String application(final TaskAttemptID attempt) {
        return attempt.getJobID().toString().replaceFirst("^job_", "application_");
    }

    /** Keeps what is left in the node's folders until the job ends, and what was measured. */
    public void keep() throws IOException {
        for (final Lease lease : leases.values()) {
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
