// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ControlSocket;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.launch.NodeCommand;
import io.spillway.node.launch.NodeLauncher;
import io.spillway.protocol.TlsFloor;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServedJob;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the node process of this host what the NodeManager knows, and has it started where the
 * settings say so. Nothing here blocks but {@link #close}. Thread-safe.
 */
public final class NodeProcessLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeProcessLink.class);
    private static final String SETTINGS = "spillway.";

    private final JobTokenSecretManager secrets;
    private final Map<String, String> users;
    private final ControlClient link;

    private NodeProcessLink(
            final Configuration conf,
            final ManagerHello hello,
            final JobTokenSecretManager secrets,
            final Map<String, String> users) {
        this.secrets = secrets;
        this.users = users;
        this.link =
                ControlClient.start(
                        ControlSocket.path(new Lookup(conf)),
                        () -> hello,
                        this::jobs,
                        starterOf(conf));
    }

    /**
     * Starts connecting.
     *
     * @param conf the NodeManager's
     * @param shuffle where its shuffle port is
     * @param stores its tiers
     * @param secrets of the jobs, recovered ones included
     * @param users of the jobs
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     */
    public static NodeProcessLink start(
            final Configuration conf,
            final NodeAddress shuffle,
            final NodeStores stores,
            final JobTokenSecretManager secrets,
            final Map<String, String> users) {
        final ManagerHello hello =
                new ManagerHello(stores.name(), shuffle, stores.localDirs(), stores.tiers());
        return new NodeProcessLink(conf, hello, secrets, users);
    }

    private static ControlClient.Starter starterOf(final Configuration conf) {
        if (!HadoopKeys.NODE_LAUNCH.get(new Lookup(conf))) {
            return ControlClient.Starter.NONE;
        }
        final Optional<Path> log = HadoopKeys.NODE_LOG.get(new Lookup(conf)).path();
        return new NodeLauncher(
                NodeCommand.likeThisProcess(new Lookup(conf), definitions(conf)), log);
    }

    /** What it reads, as the NodeManager has it; none of it is a secret. */
    private static Map<String, String> definitions(final Configuration conf) {
        final Map<String, String> definitions = new TreeMap<>();
        for (final Map.Entry<String, String> property : conf) {
            final String name = property.getKey();
            if (name.startsWith(SETTINGS) || name.equals(TlsFloor.ENABLED)) {
                definitions.put(name, conf.getTrimmed(name, ""));
            }
        }
        return definitions;
    }

    /** How the node process can be fetched from; nothing while there is none. */
    public List<TransportOffer> offers() {
        return link.offers();
    }

    private List<ServedJob> jobs() {
        final List<ServedJob> jobs = new ArrayList<>();
        for (final String jobId : List.copyOf(users.keySet())) {
            noticeOf(jobId).ifPresent(jobs::add);
        }
        return jobs;
    }

    private Optional<ServedJob> noticeOf(final String jobId) {
        final String user = users.get(jobId);
        try {
            final byte[] secret = secrets.retrieveTokenSecret(jobId).getEncoded();
            return user == null || secret.length == 0
                    ? Optional.empty()
                    : Optional.of(new ServedJob(jobId, user, secret));
        } catch (final InvalidToken e) {
            LOG.debug("No secret of {}", jobId, e);
            return Optional.empty();
        }
    }

    /** A job has come to the NodeManager. */
    public void jobBegan(final String jobId) {
        noticeOf(jobId).ifPresent(link::jobBegan);
    }

    /** A job has ended. */
    public void jobEnded(final String jobId) {
        link.jobEnded(jobId);
    }

    /** A task of a job has ended here. */
    public void taskEnded(final String jobId) {
        link.taskEnded(jobId);
    }

    /** Ends the connection, and the process where it was started from here. */
    @Override
    public void close() {
        link.close();
    }
}
