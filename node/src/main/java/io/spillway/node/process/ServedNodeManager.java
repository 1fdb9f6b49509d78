// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.LocalDirsLocator;
import io.spillway.node.LocalSegmentSource;
import io.spillway.node.MapOutputLayout;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.transport.serve.ServedJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * One NodeManager of this host: its jobs, and its map outputs. Outlives the connection of its
 * handler. Thread-safe.
 */
final class ServedNodeManager implements AutoCloseable {
    private final ManagerHello hello;
    private final Map<String, ServedJob> jobs = new ConcurrentHashMap<>();
    private final LocalSegmentSource source;

    ServedNodeManager(
            final ManagerHello hello,
            final MapOutputLayout layout,
            final Function<String, String> settings) {
        this.hello = hello;
        this.source =
                new LocalSegmentSource(
                        layout,
                        new LocalDirsLocator(hello.localDirs()),
                        hello.stores().stream().map(ManagerHello.Store::root).toList(),
                        this::userOf,
                        settings);
    }

    private String userOf(final String jobId) {
        final ServedJob job = jobs.get(jobId);
        return job == null ? null : job.user();
    }

    ManagerHello hello() {
        return hello;
    }

    LocalSegmentSource source() {
        return source;
    }

    PrefetchStats prefetchStats() {
        return source.prefetchStats();
    }

    void begin(final ServedJob job) {
        jobs.put(job.jobId(), job);
    }

    boolean knows(final String jobId) {
        return jobs.containsKey(jobId);
    }

    /** Its secret, or null. */
    byte[] secretOf(final String jobId) {
        final ServedJob job = jobs.get(jobId);
        return job == null ? null : job.secret();
    }

    Collection<ServedJob> jobs() {
        return List.copyOf(jobs.values());
    }

    List<String> jobIds() {
        return jobs.keySet().stream().sorted().toList();
    }

    /** Forgets a job; what is being served of it still goes out. */
    void end(final String jobId) {
        if (jobs.remove(jobId) != null) {
            source.dropJob(jobId);
        }
    }

    void taskEnded(final String jobId) {
        if (knows(jobId)) {
            source.taskEnded(jobId);
        }
    }

    /** Forgets the jobs that are none of these, and tells which. */
    List<String> keepOnly(final Set<String> told) {
        final List<String> ended = new ArrayList<>(jobs.keySet());
        ended.removeAll(told);
        ended.forEach(this::end);
        return ended;
    }

    @Override
    public void close() {
        jobs.clear();
        source.close();
    }
}
