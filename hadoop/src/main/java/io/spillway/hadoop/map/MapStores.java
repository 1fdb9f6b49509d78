package io.spillway.hadoop.map;

import io.spillway.store.EmulatedNvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.LeasedFiles;
import io.spillway.store.MemorySpillStore;
import io.spillway.store.OfferedStores;
import io.spillway.store.RecycledFolder;
import io.spillway.store.Room;
import io.spillway.store.Spill;
import io.spillway.store.SpillFiles;
import io.spillway.store.SpillStore;
import io.spillway.store.TierSelection;
import io.spillway.store.TieredSpillStore;
import io.spillway.store.UnnamedFiles;
import io.spillway.store.UnusableStore;
import io.spillway.store.WriteSpeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tiers of one map task: those that its settings name, as its node offers them. One thread at a
 * time.
 */
final class MapStores implements AutoCloseable {
    static final String HEAP = "heap";
    static final String MEMORY = "memory";
    static final String NVM = "nvm";
    static final String DISK = "disk";
    static final String LUSTRE = "lustre";

    private static final Logger LOG = LoggerFactory.getLogger(MapStores.class);

    /** A local directory is LOCAL/usercache/USER/appcache/APPLICATION to a task. */
    private static final int LEVELS_BELOW_LOCAL_DIR = 4;

    private final StoreSettings settings;
    private final MapOutputFile files;
    private final JobConf job;
    private final TaskAttemptID attempt;
    private final Optional<Path> local;
    private final OfferedStores offered;
    private final WriteSpeeds speeds;
    private final Map<String, LeasedFiles> leases = new LinkedHashMap<>();
    private final SpillStore spills;
    private final SpillStore output;

    private MapStores(final MapOutputCollector.Context context, final StoreSettings settings)
            throws IOException {
        this.settings = settings;
        this.files = context.getMapTask().getMapOutputFile();
        this.job = context.getJobConf();
        this.attempt = context.getMapTask().getTaskID();
        this.local = localDirectory(job);
        this.offered = local.map(MapStores::offeredIn).orElseGet(OfferedStores::none);
        this.speeds = local.map(MapStores::speedsIn).orElseGet(WriteSpeeds::new);
        this.spills = new TieredSpillStore(spillTiers(), selection());
        this.output = new TieredSpillStore(outputTiers(), selection());
    }

    static MapStores open(final MapOutputCollector.Context context, final StoreSettings settings)
            throws IOException {
        return new MapStores(context, settings);
    }

    /** The node's local directory above the task's own; none in a LocalJobRunner. */
    private static Optional<Path> localDirectory(final JobConf job) {
        final String[] directories = job.getTrimmedStrings(MRConfig.LOCAL_DIR);
        if (directories.length == 0) {
            return Optional.empty();
        }
        Path local = Path.of(directories[0]).toAbsolutePath();
        for (int i = 0; i < LEVELS_BELOW_LOCAL_DIR && local != null; i++) {
            local = local.getParent();
        }
        return Optional.ofNullable(local)
                .filter(path -> Files.isRegularFile(path.resolve(OfferedStores.FILE)));
    }

    private static OfferedStores offeredIn(final Path local) {
        try {
            return OfferedStores.readFrom(local);
        } catch (final IOException e) {
            LOG.warn("What the node offers cannot be read: {}", e.getMessage());
            return OfferedStores.none();
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

    private TierSelection selection() {
        return settings.selectsBySpeed()
                ? TierSelection.bySpeed(speeds, (double) settings.slowBytesPerSecond())
                : TierSelection.inOrder(speeds);
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

    /** Where spills go. */
    SpillStore spills() {
        return spills;
    }

    /** Where the map output goes. */
    SpillStore output() {
        return output;
    }

    private List<SpillStore> spillTiers() throws IOException {
        final List<SpillStore> tiers = new ArrayList<>();
        for (final String tier : settings.spillTiers()) {
            tiers.add(
                    switch (tier) {
                        case HEAP -> new MemorySpillStore(HEAP, settings.heapLimit());
                        case DISK -> disk(files::getSpillFileForWrite);
                        default -> ownStore(tier);
                    });
        }
        return tiers;
    }

    /** The tiers that others can open: without an offer of the node, that is the disk. */
    private List<SpillStore> outputTiers() throws IOException {
        final List<SpillStore> tiers = new ArrayList<>();
        for (final String tier : settings.outputTiers()) {
            if (!DISK.equals(tier)) {
                leased(tier).map(leased -> store(tier, leased)).ifPresent(tiers::add);
            }
        }
        tiers.add(disk((number, bytes) -> files.getOutputFileForWrite(bytes)));
        return tiers;
    }

    private DiskSpillStore disk(final DiskSpillStore.SpillFiles where) throws IOException {
        return new DiskSpillStore(MapOutputWriter.rawLocal(job), where);
    }

    /** A tier for spills: in files of the node, else in files of the task's own. */
    private SpillStore ownStore(final String tier) {
        final Optional<LeasedFiles> leased = leased(tier);
        if (leased.isPresent()) {
            return store(tier, leased.get());
        }
        final Optional<Path> directory = settings.directory(tier);
        if (directory.isEmpty()) {
            return new UnusableStore(
                    tier, "the node offers none, and " + settings.setting(tier) + " is not set");
        }
        try {
            if (MEMORY.equals(tier)) {
                Room.requireMemory(directory.get());
            }
        } catch (final IOException e) {
            return new UnusableStore(tier, settings.setting(tier) + ": " + describe(e));
        }
        final Room room = new Room(directory.get(), settings.reserve(tier));
        return store(tier, new UnnamedFiles(directory.get(), room));
    }

    private static String describe(final IOException cause) {
        return cause instanceof NoSuchFileException
                ? cause.getMessage() + " does not exist"
                : cause.getMessage();
    }

    private SpillStore store(final String tier, final SpillFiles source) {
        if (!NVM.equals(tier)) {
            return FileSpillStore.ofFiles(tier, source);
        }
        final EmulatedNvm emulation = settings.emulation();
        final boolean sync = FileSpillStore.canSync(source);
        LOG.info(
                "The nvm tier is mapped {} sync{}",
                sync ? "with" : "without",
                emulation.isOn() ? "; NVM is emulated: " + emulation : "");
        return FileSpillStore.ofMappedFiles(tier, source, sync, emulation);
    }

    private Optional<LeasedFiles> leased(final String tier) {
        if (leases.containsKey(tier)) {
            return Optional.of(leases.get(tier));
        }
        final Optional<RecycledFolder> folder = offered.folder(tier);
        if (folder.isEmpty()) {
            return Optional.empty();
        }
        try {
            final Room room = new Room(folder.get().root(), settings.reserve(tier));
            final LeasedFiles lease =
                    folder.get().lease(application(attempt), attempt.toString(), room);
            leases.put(tier, lease);
            return Optional.of(lease);
        } catch (final IOException e) {
            LOG.warn("The node's {} tier cannot be used: {}", tier, e.getMessage());
            return Optional.empty();
        }
    }

    private static String application(final TaskAttemptID attempt) {
        return attempt.getJobID().toString().replaceFirst("^job_", "application_");
    }

    /**
     * Whether a spill can become the map output as it is, where it is.
     *
     * @param tier of the spill
     */
    boolean canAdopt(final String tier) {
        return DISK.equals(tier)
                || (leases.containsKey(tier) && settings.outputTiers().contains(tier));
    }

    /** Whether the node can serve a spill where it is. */
    boolean canServeInPlace(final Spill spill) {
        return spill.holder().isPresent() && !DISK.equals(spill.store()) && canAdopt(spill.store());
    }

    /** Whether the first tier that spills go to is one that the node can serve them from. */
    boolean servesSpillsInPlace() {
        final String first = settings.spillTiers().get(0);
        return !DISK.equals(first) && canAdopt(first);
    }

    /** Keeps what is left in the node's folders, the map output, until the job ends. */
    void keepOutput() throws IOException {
        for (final LeasedFiles lease : leases.values()) {
            lease.commit();
        }
        passSpeedsOn();
    }

    /** Frees spills and, unless it is kept, the map output. Idempotent. */
    @Override
    public void close() {
        spills.close();
        output.close();
    }
}
