package io.spillway.hadoop.job;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.SpillwayKeys;
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
    /** A JVM reports a heap that is a little smaller than what it was told to take. */
    private static final int PERCENT_OF_HEAP = 75;

    /** Hadoop's default for a task. */
    private static final int DEFAULT_HEAP_MB = 200;

    private PlannedWindows() {}

    /**
     * How many streams of the smallest window the reducers of a job have memory for, by its
     * configuration alone.
     */
    static long plannedStreams(final JobConf conf) {
        final Lookup lookup = new Lookup(conf);
        final long budget = WindowLength.budget(lookup, plannedHeap(conf), 0, RunsPerMap.MOST);
        return budget / ((long) WindowLength.WINDOWS * WindowLength.smallest(lookup));
    }

    /**
     * Insists that the buffer that is set fits the heap that the configuration gives to reducers:
     * by the configuration alone, for maps and reducers have to agree.
     *
     * @throws io.spillway.conf.InvalidSettingException that names what would fit
     */
    static void requireBufferInHeap(final JobConf conf) {
        final Optional<Long> set = SpillwayKeys.SHUFFLE_BUFFER_BYTES.get(new Lookup(conf));
        final long heap = configuredHeap(conf);
        final long most = (long) (heap * SpillwayKeys.MOST_OF_HEAP);
        if (heap > 0 && set.isPresent() && set.get() > most) {
            throw SpillwayKeys.SHUFFLE_BUFFER_BYTES.tooLarge(
                    set,
                    Optional.of(MemoryBounds.wholeMegabytes(most)),
                    SpillwayKeys.MOST_OF_HEAP
                            + " of a reducer's heap of "
                            + MemoryBounds.megabytes(heap)
                            + " ("
                            + JobContext.REDUCE_JAVA_OPTS
                            + ")");
        }
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
