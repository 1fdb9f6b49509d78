// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.node.descriptor.DescriptorServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs of a NodeManager, and the users of the system that their tasks run as. Thread-safe. */
final class TaskUsers implements DescriptorServer.Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(TaskUsers.class);

    private final JobTokenSecretManager secrets;
    private final Map<String, String> users;
    private final List<Path> localDirs;

    /**
     * Creates a view.
     *
     * @param users of the jobs that run here
     * @param localDirs the NodeManager's local directories
     */
    TaskUsers(
            final JobTokenSecretManager secrets,
            final Map<String, String> users,
            final List<Path> localDirs) {
        this.secrets = secrets;
        this.users = users;
        this.localDirs = List.copyOf(localDirs);
    }

    @Override
    public byte[] secretOf(final String jobId) {
        return users.containsKey(jobId) ? SharedPortNode.secretOf(secrets, jobId) : null;
    }

    @Override
    public String userOf(final String jobId) {
        return users.get(jobId);
    }

    /**
     * Returns the owner of the user's folder in a local directory. The container executor makes the
     * folder, as root, for the user that runs the tasks. Its configuration can name another user
     * than the job's.
     */
    @Override
    public OptionalInt uidOf(final String user) {
        for (final Path local : localDirs) {
            final Path folder = local.resolve("usercache").resolve(user);
            try {
                return OptionalInt.of(
                        (Integer)
                                Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS));
            } catch (final IOException e) {
                LOG.debug("{} is missing", folder, e);
            }
        }
        return OptionalInt.empty();
    }

    @Override
    public String applicationOf(final String jobId) {
        return MapReduceLayout.applicationOf(jobId);
    }

    @Override
    public boolean isAttemptOf(final String jobId, final String attempt) {
        try {
            return TaskAttemptID.forName(attempt).getJobID().toString().equals(jobId);
        } catch (final IllegalArgumentException e) {
            LOG.debug("No attempt", e);
            return false;
        }
    }
}
