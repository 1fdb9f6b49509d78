// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.hadoop.conf.Lookup;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.descriptor.DescriptorServer;
import io.spillway.node.descriptor.UserQuota;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.shared.SharedFolders;
import io.spillway.store.tier.NodeFolder;
import io.spillway.store.tier.StoreKeys;
import io.spillway.store.tier.Tiers;
import io.spillway.thread.DaemonThreads;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the node's memory and NVM tiers to tasks of the NodeManager's user, and by descriptors to
 * tasks of other users. Frees the files of ended jobs and dead tasks. Thread-safe.
 */
public final class NodeStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStores.class);

    /** Between two looks, and two signs of life. */
    static final long RECLAIM_SECONDS = 10;

    /** Every how many looks others' folders are looked at, too. */
    private static final int LOOKS_PER_ROUND = 6;

    /** The container executor that runs all tasks as the NodeManager's user. */
    private static final String OWN_USER_ONLY =
            "org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor";

    /** Before the NodeManager's own hook (of 30), which waits for applications. */
    private static final int HOOK_PRIORITY = 40;

    /** Jobs whose ends wait to be dealt with. */
    private static final int MAX_ENDED = 1024;

    /** How long the end waits for what jobs have left to be taken back. */
    private static final long END_SECONDS = 5;

    private final String name;
    private final Map<String, TierFolder> folders;
    private final TierAdvertisement offer;
    private final List<Path> localDirs;
    private final List<AbandonedFolders> others;
    private final Optional<SharedJobs> shared;
    private volatile Optional<DescriptorServer> descriptors = Optional.empty();
    private final Runnable stopHook = this::beginStop;
    private final ExecutorService reclaimer =
            Executors.newSingleThreadExecutor(work -> DaemonThreads.of("spillway-reclaimer", work));

    /**
     * Takes back what jobs have left, in the order of their ends. It is a thread of its own, as a
     * job may have left thousands of files, and the NodeManager's dispatcher of events reports its
     * end. Beyond the queue the dispatcher does it.
     */
    private final ThreadPoolExecutor ended =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_ENDED),
                    work -> DaemonThreads.of("spillway-ended-jobs", work),
                    new ThreadPoolExecutor.CallerRunsPolicy());

    private NodeStores(
            final String name,
            final Map<String, TierFolder> folders,
            final TierAdvertisement offer,
            final List<Path> localDirs,
            final List<AbandonedFolders> others,
            final Optional<SharedJobs> shared) {
        this.name = name;
        this.folders = Map.copyOf(folders);
        this.offer = offer;
        this.localDirs = List.copyOf(localDirs);
        this.others = List.copyOf(others);
        this.shared = shared;
    }

    /**
     * Makes the folders, and takes back what is left of jobs that the node does not know any more,
     * and of nodes of this user that are gone. Tasks learn of it by {@link #offer} only. A tier
     * that cannot be used is logged and not offered.
     *
     * @param conf the NodeManager's
     * @param isKnown whether the node serves an application
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     */
    public static NodeStores start(final Configuration conf, final Predicate<String> isKnown) {
        final List<Path> localDirs = localDirs(conf);
        final String name = folderName(localDirs);
        final Optional<Path> sharedDirectory =
                StoreKeys.STORE_LUSTRE_DIR.get(new Lookup(conf)).path();
        final Map<String, TierFolder> folders = new TreeMap<>();
        final Map<String, TierAdvertisement.Offer> offers = new TreeMap<>();
        final List<AbandonedFolders> others =
                NodeTier.all().stream()
                        .flatMap(tier -> tier.where(conf).stream())
                        .distinct()
                        .map(AbandonedFolders::new)
                        .toList();
        // Its own folders first: what the same NodeManager has left there is not abandoned, however
        // long it was gone.
        for (final NodeTier tier : NodeTier.all()) {
            tier.create(conf, name)
                    .ifPresent(
                            created -> {
                                folders.put(tier.text(), created);
                                offers.put(
                                        tier.text(),
                                        new TierAdvertisement.Offer(
                                                created.root(), created.limit()));
                            });
        }
        others.forEach(all -> all.reclaim(AbandonedFolders.Mode.RECLAIM));
        final NodeStores stores =
                new NodeStores(
                        name,
                        folders,
                        TierAdvertisement.of(offers, FrameType.VERSIONS)
                                .withShared(sharedDirectory),
                        localDirs,
                        others,
                        sharedDirectory
                                .map(SharedOutputs::new)
                                .map(SharedFolders::new)
                                .map(all -> SharedJobs.of(all, conf)));
        stores.tell(TierAdvertisement.none());
        stores.reclaimUnknown(isKnown);
        stores.reclaimer.execute(stores::reclaimFromNowOn);
        ShutdownHookManager.get().addShutdownHook(stores.stopHook, HOOK_PRIORITY);
        return stores;
    }

    /**
     * Serves files to tasks of other users where the settings allow it. To be called before {@link
     * #offer}. Without it their outputs go to disk.
     *
     * @param conf the NodeManager's
     * @param secrets of the jobs
     * @param users of the jobs that run here
     */
    public void serveOtherUsers(
            final Configuration conf,
            final JobTokenSecretManager secrets,
            final Map<String, String> users) {
        final Lookup lookup = new Lookup(conf);
        final boolean isWanted =
                StoreKeys.STORE_OTHER_USERS
                        .get(lookup)
                        .orElseGet(() -> !OWN_USER_ONLY.equals(executorOf(conf)));
        if (!isWanted || folders.isEmpty()) {
            return;
        }
        final Map<String, DescriptorServer.LentTier> lent = new TreeMap<>();
        folders.forEach((tier, folder) -> lent.put(tier, lentTier(lookup, tier, folder)));
        try {
            final DescriptorServer server =
                    DescriptorServer.start(name, lent, new TaskUsers(secrets, users, localDirs));
            descriptors = Optional.of(server);
            LOG.info("Tasks of other users get files of {} at {}", lent.keySet(), server.socket());
        } catch (final IOException e) {
            LOG.warn("Tasks of other users get no files of {}: {}", lent.keySet(), e.getMessage());
        }
    }

    private static String executorOf(final Configuration conf) {
        return conf.getTrimmed(YarnConfiguration.NM_CONTAINER_EXECUTOR, OWN_USER_ONLY);
    }

    private static DescriptorServer.LentTier lentTier(
            final Lookup lookup, final String label, final TierFolder folder) {
        final boolean inMemory =
                Tiers.named(label).folder().map(NodeFolder::inMemory).orElse(false);
        final double share = StoreKeys.STORE_USER_PERCENT.get(lookup);
        return new DescriptorServer.LentTier(
                folder::files,
                inMemory ? StoreKeys.STORE_MEMORY_RESERVE.get(lookup) : 0,
                new UserQuota(
                        StoreKeys.STORE_USER_PERCENT + "=" + share,
                        (long) (share * folder.limit())));
    }

    /**
     * Tells tasks. Only for a node that serves Spillway's protocol: stock's cannot give out what
     * tasks may leave here.
     *
     * @param epoch the node's incarnation
     */
    public void offer(final long epoch) {
        tell(offer.withEpoch(epoch).withSocket(descriptors.map(DescriptorServer::socket)));
    }

    private static List<Path> localDirs(final Configuration conf) {
        final List<Path> directories = new ArrayList<>();
        for (final String text : conf.getTrimmedStrings(YarnConfiguration.NM_LOCAL_DIRS)) {
            directories.add(Path.of(text.replaceFirst("^file:(//)?", "")));
        }
        return directories;
    }

    /** The same for a NodeManager that is started again, another for another one on the host. */
    private static String folderName(final List<Path> localDirs) {
        final CRC32 hash = new CRC32();
        hash.update(localDirs.toString().getBytes(StandardCharsets.UTF_8));
        return "node-" + HexFormat.of().toHexDigits((int) hash.getValue());
    }

    private void tell(final TierAdvertisement told) {
        for (final Path directory : localDirs) {
            try {
                Files.createDirectories(directory);
                told.writeTo(directory);
            } catch (final IOException e) {
                LOG.warn("Tasks get no notice of this node's stores in {}: {}", directory, e);
            }
        }
    }

    private void reclaimUnknown(final Predicate<String> isKnown) {
        folders.forEach(
                (tier, folder) -> {
                    try {
                        for (final String application : folder.files().applications()) {
                            if (!isKnown.test(application)) {
                                LOG.info("Taking back the {} tier of {}", tier, application);
                                folder.reclaim(application);
                            }
                        }
                    } catch (final IOException e) {
                        LOG.warn("Cannot take back what is left in {}", folder.root(), e);
                    }
                });
    }

    /**
     * Takes back what a job has left that has ended, soon. What is not taken back when this process
     * ends is taken back by the next one, which does not know the job.
     */
    public void reclaim(final String application) {
        final String job = application.replaceFirst("^application_", "job_");
        descriptors.ifPresent(server -> server.endJob(job));
        ended.execute(() -> folders.values().forEach(folder -> folder.reclaim(application)));
        shared.ifPresent(all -> all.ended(job));
    }

    private void reclaimFromNowOn() {
        try {
            for (int look = 1; !reclaimer.isShutdown(); look++) {
                TimeUnit.SECONDS.sleep(RECLAIM_SECONDS);
                look();
                if (look % LOOKS_PER_ROUND == 0) {
                    reclaimOthers();
                }
            }
        } catch (final InterruptedException e) {
            LOG.debug("The reclaimer ends", e);
        }
    }

    /** Looks after all folders, once. */
    void look() {
        folders.values().forEach(TierFolder::look);
    }

    private void reclaimOthers() {
        try {
            others.forEach(all -> all.reclaim(AbandonedFolders.Mode.RECLAIM));
        } catch (final RuntimeException e) {
            LOG.warn("Cannot reclaim what other nodes have left", e);
        }
    }

    /** A name of the NodeManager that it keeps when it is started again. */
    String name() {
        return name;
    }

    /** The NodeManager's local directories. */
    List<Path> localDirs() {
        return localDirs;
    }

    /** The tiers that tasks are offered. */
    List<ManagerHello.Store> tiers() {
        final List<ManagerHello.Store> tiers = new ArrayList<>();
        new TreeMap<>(offer.folders())
                .forEach(
                        (tier, folder) ->
                                tiers.add(
                                        new ManagerHello.Store(
                                                tier, folder.root(), folder.limit())));
        return tiers;
    }

    /** The folders in which map outputs may lie, beside the local directories. */
    public List<Path> roots() {
        return folders.values().stream().map(TierFolder::root).toList();
    }

    /**
     * Frees the memory without an owner, at once: a NodeManager that gets SIGTERM waits for its
     * applications first, and may be killed meanwhile. Tasks get no more files, and what they and
     * jobs give back is freed. Idempotent.
     */
    void beginStop() {
        tell(TierAdvertisement.none());
        endDescriptors();
        folders.values().forEach(TierFolder::drain);
    }

    private synchronized void endDescriptors() {
        descriptors.ifPresent(DescriptorServer::close);
        descriptors = Optional.empty();
    }

    /** A job that is being taken back is; those that wait may be left to the next process. */
    private void endJobs() {
        ended.shutdown();
        try {
            if (!ended.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                ended.getQueue().clear();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Frees memory that is not in use. What jobs have stays where the NodeManager recovers them
     * when it is started again; else it is freed, too.
     */
    @Override
    public void close() {
        if (!ShutdownHookManager.get().isShutdownInProgress()) {
            ShutdownHookManager.get().removeShutdownHook(stopHook);
        }
        reclaimer.shutdownNow();
        shared.ifPresent(SharedJobs::close);
        endJobs();
        beginStop();
        folders.values().forEach(TierFolder::release);
        reclaimOthers();
    }
}
