// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.spillway.node.descriptor.DescriptorServer.LentTier;
import io.spillway.store.pool.FilePool;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.JobCredentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A node with a memory tier, and a socket for tasks of other users. */
final class LendingNode implements DescriptorServer.Jobs, AutoCloseable {
    static final int MIB = 1 << 20;
    static final long LIMIT = 64L * MIB;
    static final long QUOTA = 16L * MIB;

    private final Path folder;
    private final FilePool files;
    private final Map<String, String> users = new ConcurrentHashMap<>();
    private final Map<String, Integer> uids = new ConcurrentHashMap<>();
    private final DescriptorServer server;
    private volatile String endsOnceProved = "";

    LendingNode() throws IOException {
        folder = Files.createTempDirectory(Path.of("/dev/shm"), "spillway-lending-");
        files = FilePool.create(folder.resolve("of-node").resolve("memory"), LIMIT, Duration.ZERO);
        server =
                DescriptorServer.start(
                        folder.getFileName().toString(),
                        Map.of(
                                Tiers.MEMORY.label(),
                                new LentTier(() -> files, 0, new UserQuota("quota", QUOTA))),
                        this);
    }

    /** Begins a job whose tasks run as a user of the system. */
    void begin(final String jobId, final String user, final int uid) {
        users.put(jobId, user);
        uids.put(user, uid);
    }

    void end(final String jobId) throws IOException {
        users.remove(jobId);
        server.endJob(jobId);
        files.reclaim(applicationOf(jobId));
    }

    /** The job ends as soon as its next task has proved itself; its files stay for a moment. */
    void endOnceProved(final String jobId) {
        endsOnceProved = jobId;
    }

    static byte[] secret(final String jobId) {
        return ("secret of " + jobId).getBytes(StandardCharsets.UTF_8);
    }

    static int ownUid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    /** Connects as a task's process does. */
    DescriptorLease lease(final String jobId, final String attempt) throws IOException {
        return lease(jobId, attempt, secret(jobId));
    }

    DescriptorLease lease(final String jobId, final String attempt, final byte[] secret)
            throws IOException {
        return DescriptorLease.open(
                server.socket(),
                ownUid(),
                new JobCredentials(jobId, secret),
                attempt,
                Tiers.MEMORY);
    }

    DescriptorServer server() {
        return server;
    }

    FilePool files() {
        return files;
    }

    Path folder() {
        return folder;
    }

    @Override
    public byte[] secretOf(final String jobId) {
        return users.containsKey(jobId) ? secret(jobId) : null;
    }

    @Override
    public String userOf(final String jobId) {
        return users.get(jobId);
    }

    @Override
    public OptionalInt uidOf(final String user) {
        return uids.containsKey(user) ? OptionalInt.of(uids.get(user)) : OptionalInt.empty();
    }

    @Override
    public String applicationOf(final String jobId) {
        return jobId.replaceFirst("job", "application");
    }

    @Override
    public boolean isAttemptOf(final String jobId, final String attempt) {
        if (jobId.equals(endsOnceProved)) {
            users.remove(jobId);
            server.endJob(jobId);
        }
        return attempt.startsWith(jobId.replaceFirst("job", "attempt") + "_");
    }

    @Override
    public void close() throws IOException {
        server.close();
        files.release();
        try (Stream<Path> left = Files.walk(folder)) {
            for (final Path each : left.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }
}
