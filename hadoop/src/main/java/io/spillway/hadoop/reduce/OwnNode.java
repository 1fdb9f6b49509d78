// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.conf.TierName;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.node.LocalDirsLocator;
import io.spillway.node.LocalSegmentSource;
import io.spillway.node.NodeKeys;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.choice.OwnHost;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map outputs of a reducer's own job in memory on its own NodeManager's host. They belong to
 * the user that both tasks run as. Thread-safe.
 */
public final class OwnNode implements OwnHost {
    private static final Logger LOG = LoggerFactory.getLogger(OwnNode.class);

    /** What a node sets aside for all jobs, a task does for one; nothing is read ahead. */
    private static final Map<String, String> OF_A_TASK =
            Map.of(
                    NodeKeys.NODE_OPEN_FILES.name(), "256",
                    NodeKeys.NODE_INDEX_BYTES.name(), "4m",
                    NodeKeys.NODE_PREFETCH_BYTES.name(), "0");

    private final Path local;
    private final LocalSegmentSource outputs;

    private OwnNode(final Path local, final LocalSegmentSource outputs) {
        this.local = local;
        this.outputs = outputs;
    }

    /**
     * Finds the node's local directories. Empty where its handler has written no advertisement
     * there, or where this task can enter none of its stores, because it runs as another user.
     */
    public static Optional<OwnHost> of(final JobConf job, final TaskAttemptID reducer) {
        final List<Path> directories = TaskTiers.localDirectories(job);
        if (directories.isEmpty()) {
            return Optional.empty();
        }
        final Path local = directories.get(0);
        final List<Path> roots =
                read(local).folders().values().stream()
                        .map(TierAdvertisement.Offer::root)
                        .filter(Files::isReadable)
                        .toList();
        if (roots.isEmpty()) {
            return Optional.empty();
        }
        final String own = reducer.getJobID().toString();
        final Function<String, String> settings = new Lookup(job);
        return Optional.of(
                new OwnNode(
                        local,
                        new LocalSegmentSource(
                                new MapReduceLayout(),
                                new LocalDirsLocator(directories),
                                roots,
                                asked -> asked.equals(own) ? job.getUser() : null,
                                name -> OF_A_TASK.getOrDefault(name, settings.apply(name)))));
    }

    private static TierAdvertisement read(final Path local) {
        try {
            return TierAdvertisement.readFrom(local);
        } catch (final IOException e) {
            LOG.warn("What the node offers cannot be read: {}", e.getMessage());
            return TierAdvertisement.none();
        }
    }

    /** Read each time: a NodeManager that was started again is another incarnation. */
    @Override
    public boolean isNode(final long epoch) {
        return epoch != TierAdvertisement.UNKNOWN_EPOCH && read(local).epoch() == epoch;
    }

    @Override
    public SegmentSource outputs() {
        return outputs;
    }

    @Override
    public boolean reads(final TierName tier) {
        return tier.code() == Tiers.MEMORY.code();
    }

    @Override
    public void close() {
        outputs.close();
    }
}
