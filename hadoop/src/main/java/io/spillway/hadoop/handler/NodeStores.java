package io.spillway.hadoop.handler;

import io.spillway.conf.Setting;
import io.spillway.conf.SpillwayKeys;
import io.spillway.node.control.ManagerHello;
import io.spillway.store.OfferedStores;
import io.spillway.store.RecycledFolder;
import io.spillway.store.Room;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the node's memory and NVM tiers to tasks of the NodeManager's user, and takes back what
 * jobs that have ended and tasks that have died leave there. Thread-safe.
 */
public final class NodeStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStores.class);

    private static final long RECLAIM_SECONDS = 10;

    /** The memory tier's default share of the host. */
    private static final int MEMORY_FRACTION = 4;

    private final String name;
    private final Map<String, RecycledFolder> folders;
    private final OfferedStores offer;
    private final List<Path> localDirs;
    private final ExecutorService reclaimer = Executors.newSingleThreadExecutor(NodeStores::daemon);

    private NodeStores(
            final String name,
            final Map<String, RecycledFolder> folders,
            final OfferedStores offer,
            final List<Path> localDirs) {
        this.name = name;
        this.folders = Map.copyOf(folders);
        this.offer = offer;
        this.localDirs = List.copyOf(localDirs);
    }

    private static Thread daemon(final Runnable work) {
        final Thread thread = new Thread(work, "spillway-reclaimer");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Makes the folders, and takes back what is left of jobs that the node does not know any more.
     * Tasks are told of nothing before {@link #offer}. A tier that cannot be used is logged and not
     * offered.
     *
     * @param conf the NodeManager's
     * @param isKnown whether the node serves an application
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     */
    public static NodeStores start(final Configuration conf, final Predicate<String> isKnown) {
        final List<Path> localDirs = localDirs(conf);
        final String name = folderName(localDirs);
        final Map<String, RecycledFolder> folders = new TreeMap<>();
        final Map<String, OfferedStores.Offer> offers = new TreeMap<>();
        for (final Tier tier : Tier.all()) {
            final Optional<RecycledFolder> folder = tier.create(conf, name);
            folder.ifPresent(
                    created -> {
                        folders.put(tier.text, created);
                        offers.put(
                                tier.text,
                                new OfferedStores.Offer(created.root(), tier.limit(conf)));
                    });
        }
        final NodeStores stores =
                new NodeStores(name, folders, OfferedStores.of(offers), localDirs);
        stores.tell(OfferedStores.none());
        stores.reclaimUnknown(isKnown);
        stores.reclaimer.execute(stores::reclaimFromNowOn);
        return stores;
    }

    /**
     * Tells tasks. Only for a node that serves Spillway's protocol: stock's cannot give out what
     * tasks may leave here.
     */
    public void offer() {
        tell(offer);
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

    private void tell(final OfferedStores told) {
        for (final Path directory : localDirs) {
            try {
                Files.createDirectories(directory);
                told.writeTo(directory);
            } catch (final IOException e) {
                LOG.warn("Tasks are not told of this node's stores in {}: {}", directory, e);
            }
        }
    }

    private void reclaimUnknown(final Predicate<String> isKnown) {
        folders.forEach(
                (tier, folder) -> {
                    try {
                        for (final String application : folder.applications()) {
                            if (!isKnown.test(application)) {
                                LOG.info("Taking back the {} tier of {}", tier, application);
                                folder.reclaim(application);
                            }
                        }
                    } catch (final IOException e) {
                        LOG.warn("Cannot take back what is left in {}: {}", folder.root(), e);
                    }
                });
    }

    /** Takes back what a job has left that has ended. */
    public void reclaim(final String application) {
        for (final RecycledFolder folder : folders.values()) {
            try {
                folder.reclaim(application);
            } catch (final IOException e) {
                LOG.warn("Cannot take back what {} has left: {}", application, e);
            }
        }
    }

    private void reclaimFromNowOn() {
        try {
            while (!reclaimer.isShutdown()) {
                TimeUnit.SECONDS.sleep(RECLAIM_SECONDS);
                reclaimDead();
            }
        } catch (final InterruptedException e) {
            LOG.debug("The reclaimer ends", e);
        }
    }

    private void reclaimDead() {
        for (final RecycledFolder folder : folders.values()) {
            try {
                folder.reclaimDead();
            } catch (final IOException | RuntimeException e) {
                LOG.warn("Cannot take back what tasks have left in {}", folder.root(), e);
            }
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
        return folders.values().stream().map(RecycledFolder::root).toList();
    }

    /** Frees memory that nobody uses; what jobs have stays, for a NodeManager started again. */
    @Override
    public void close() {
        reclaimer.shutdownNow();
        tell(OfferedStores.none());
        for (final RecycledFolder folder : folders.values()) {
            folder.drain();
        }
    }

    /**
     * A tier that a node can offer.
     *
     * @param limit in bytes, 0 for the default
     * @param inMemory whether it has to be on tmpfs
     */
    private record Tier(
            String text,
            Setting<String> directory,
            Setting<Long> limit,
            LongSupplier defaultLimit,
            boolean inMemory) {
        static List<Tier> all() {
            return List.of(
                    new Tier(
                            "memory",
                            SpillwayKeys.STORE_MEMORY_DIR,
                            SpillwayKeys.STORE_MEMORY_LIMIT,
                            () -> hostMemory() / MEMORY_FRACTION,
                            true),
                    new Tier(
                            "nvm",
                            SpillwayKeys.STORE_NVM_DIR,
                            SpillwayKeys.STORE_NVM_LIMIT,
                            () -> Long.MAX_VALUE,
                            false));
        }

        private static long hostMemory() {
            return ManagementFactory.getPlatformMXBean(
                            com.sun.management.OperatingSystemMXBean.class)
                    .getTotalMemorySize();
        }

        private long limit(final Configuration conf) {
            final long set = limit.get(conf::getTrimmed);
            return set == 0 ? defaultLimit.getAsLong() : set;
        }

        private Optional<RecycledFolder> create(final Configuration conf, final String name) {
            final Optional<Path> where = SpillwayKeys.directory(directory, conf::getTrimmed);
            if (where.isEmpty()) {
                LOG.info("No {} tier: {} is not set", text, directory);
                return Optional.empty();
            }
            final Path root =
                    where.get()
                            .resolve("spillway-" + System.getProperty("user.name"))
                            .resolve(text + "-" + name);
            try {
                Files.createDirectories(where.get());
                if (inMemory) {
                    Room.requireMemory(where.get());
                }
                final RecycledFolder folder = RecycledFolder.create(root, limit(conf));
                LOG.info("Offering the {} tier in {}, at most {} bytes", text, root, limit(conf));
                return Optional.of(folder);
            } catch (final IOException e) {
                LOG.warn("No {} tier ({}={}): {}", text, directory, where.get(), e.getMessage());
                return Optional.empty();
            }
        }
    }
}
