// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.Setting;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.WindowLength;
import io.spillway.hadoop.conf.Lookup;
import java.util.Optional;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * The windows that a job's configuration alone leaves memory for: maps and reducers have to agree
 * on them.
 */
final class PlannedWindows {
    /** A JVM reports a heap that is a little smaller than its option says. */
    private static final int PERCENT_OF_HEAP = 75;

    /** Hadoop's default for a task. */
    private static final int DEFAULT_HEAP_MB = 200;

    private PlannedWindows() {}

    /**
     * How many streams of the smallest window the reducers of a job have memory for, by its
     * configuration alone.
     */
    static long plannedStreams(final JobConf conf) {
        return plannedBuffer(conf)
                / ((long) WindowLength.WINDOWS * WindowLength.smallest(new Lookup(conf)));
    }

    /**
     * Insists that the buffer that is set fits the heap that the configuration gives to reducers:
     * by the configuration alone, for maps and reducers have to agree.
     *
     * @throws io.spillway.conf.InvalidSettingException that names what would fit
     */
    static void requireBufferInHeap(final JobConf conf) {
        final Optional<Long> set = EngineKeys.SHUFFLE_BUFFER_BYTES.get(new Lookup(conf));
        final long heap = configuredHeap(conf);
        final long most = (long) (heap * EngineKeys.MOST_OF_HEAP);
        if (heap > 0 && set.isPresent() && set.get() > most) {
            throw EngineKeys.SHUFFLE_BUFFER_BYTES.tooLarge(
                    set,
                    Optional.of(MemoryBounds.wholeMegabytes(most)),
                    EngineKeys.MOST_OF_HEAP
                            + " of a reducer's heap of "
                            + MemoryBounds.megabytes(heap)
                            + " ("
                            + JobContext.REDUCE_JAVA_OPTS
                            + ")");
        }
    }

    /**
     * Why the reducers have no memory for the smallest windows of all maps, or nothing where they
     * have: by the configuration alone, for maps and reducers have to agree.
     */
    static Optional<String> reasonOfMemory(final JobConf conf) {
        final int maps = conf.getNumMapTasks();
        if (plannedStreams(conf) >= maps) {
            return Optional.empty();
        }
        final Lookup lookup = new Lookup(conf);
        final Setting<?> buffer =
                EngineKeys.SHUFFLE_BUFFER_BYTES.get(lookup).isPresent()
                        ? EngineKeys.SHUFFLE_BUFFER_BYTES
                        : EngineKeys.SHUFFLE_BUFFER_PERCENT;
        return Optional.of(
                "the shuffle buffer of "
                        + plannedBuffer(conf)
                        + " bytes ("
                        + text(buffer, lookup)
                        + ", of a reducer's heap of "
                        + MemoryBounds.megabytes(plannedHeap(conf))
                        + " at least) cannot hold two windows of "
                        + text(EngineKeys.SHUFFLE_WINDOW_MIN, lookup)
                        + " for each of "
                        + maps
                        + " maps");
    }

    private static String text(final Setting<?> setting, final Lookup lookup) {
        return setting.name()
                + "="
                + Optional.ofNullable(lookup.apply(setting.name())).orElse(setting.defaultText());
    }

    private static long plannedBuffer(final JobConf conf) {
        return WindowLength.budget(new Lookup(conf), plannedHeap(conf), 0, RunsPerMap.MOST);
    }

    /** In bytes; not positive where the configuration does not say. */
    private static long configuredHeap(final JobConf conf) {
        final int megabytes = JobConf.parseMaximumHeapSizeMB(conf.getTaskJavaOpts(TaskType.REDUCE));
        return (long) megabytes << 20;
    }

    /** The bytes of heap that the reducers of a job will have at least, by its configuration. */
    static long plannedHeap(final JobConf conf) {
        final long set = configuredHeap(conf);
        final long heap = set > 0 ? set : (long) DEFAULT_HEAP_MB << 20;
        return heap * PERCENT_OF_HEAP / 100;
    }
}
