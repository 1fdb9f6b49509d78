// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A job that wants its map outputs read ahead: which of them are known, and which reducers run.
 * Guarded by the prefetcher's lock.
 */
final class ReadAheadJob {
    /**
     * The most reducers whose segments are read ahead as theirs: those that asked last. Bounds the
     * work that one new map output makes.
     */
    private static final int MAX_PARTITIONS = 64;

    private static final int INITIAL_CAPACITY = 16;
    private static final float LOAD_FACTOR = 0.75f;

    private final String jobId;
    private final PrefetchCounters counters = new PrefetchCounters();
    private final Set<ReadAheadFile> files = new LinkedHashSet<>();
    private final Set<String> attempts = new HashSet<>();
    private final Map<Integer, Boolean> partitions =
            new LinkedHashMap<>(INITIAL_CAPACITY, LOAD_FACTOR, true);
    private int lastLength;
    private int lastPartition;

    ReadAheadJob(final String jobId) {
        this.jobId = jobId;
    }

    String jobId() {
        return jobId;
    }

    PrefetchCounters counters() {
        return counters;
    }

    /** The map outputs that are open, in the order in which they became known. */
    Set<ReadAheadFile> files() {
        return files;
    }

    /** The map attempts whose outputs are or were known. */
    Set<String> attempts() {
        return attempts;
    }

    /** The bytes that the job's last fetch asked for: what its reducers ask for at a time. */
    int lastLength() {
        return lastLength;
    }

    /** The partition of the job's last fetch. */
    int lastPartition() {
        return lastPartition;
    }

    /**
     * Notes a fetch.
     *
     * @return whether the partition's reducer is a new one
     */
    boolean noteFetch(final int partition, final int length) {
        lastLength = length;
        lastPartition = partition;
        final boolean isNew = partitions.put(partition, Boolean.TRUE) == null;
        if (partitions.size() > MAX_PARTITIONS) {
            partitions.remove(partitions.keySet().iterator().next());
        }
        return isNew;
    }

    /** The partitions whose reducers run, the one that has waited longest first. */
    List<Integer> partitions() {
        return new ArrayList<>(partitions.keySet());
    }
}
