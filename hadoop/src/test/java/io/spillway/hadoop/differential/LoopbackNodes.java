// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.node.NodeKeys;
import io.spillway.protocol.ProtocolKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** The nodes of this JVM, started when a job first needs them. Thread-safe. */
final class LoopbackNodes {
    /** Which nodes hold the map outputs of a job. */
    static final String LAYOUT = "differential.loopback.layout";

    /**
     * Whether maps seem to end one after the other while reducers fetch, and some to be killed or
     * run again.
     */
    static final String BUSY = "differential.loopback.busy";

    /** A seed for the order in which maps seem to end; without one it is that of their numbers. */
    static final String ARRIVAL = "differential.loopback.arrival";

    private static final long CLUSTER_TIMESTAMP = 1_700_000_000_000L;
    private static final Map<String, String> FRUGAL =
            Map.of(
                    ProtocolKeys.NODE_CONNECTION_BYTES.name(), "64k",
                    NodeKeys.NODE_OPEN_FILES.name(), "1",
                    NodeKeys.NODE_INDEX_BYTES.name(), "64k");

    /**
     * Nodes accept the protection that a job chooses: without tags the checksums have to find
     * turned bits.
     */
    private static final Map<String, String> UNSEALED =
            Map.of(ProtocolKeys.PROTECTION.name(), "authentication");

    private static LoopbackNodes instance;

    private final Path root;
    private final List<LoopbackNode> stock;
    private final List<LoopbackNode> spillway;
    private final LoopbackNode cut;
    private final LoopbackNode flip;
    private final Map<String, Admission> admissions = new HashMap<>();
    private int jobs;

    /** Which nodes hold the map outputs of a job. */
    enum Layout {
        /** Two nodes with Hadoop's own shuffle handler. */
        STOCK,
        /** Two nodes with Spillway's, one of which may hold next to nothing. */
        SPILLWAY,
        /** One of each. */
        MIXED,
        /** One with Spillway's, behind a link that cuts connections. */
        CUT,
        /** One with Spillway's, behind a link that turns bits. */
        FLIP
    }

    private record Admission(LoopbackJob job, ApplicationId application, String user) {}

    private LoopbackNodes() throws IOException {
        // Two handlers in one JVM register metrics of the same name.
        DefaultMetricsSystem.setMiniClusterMode(true);
        root = Files.createTempDirectory("spillway-loopback");
        stock =
                List.of(
                        new LoopbackNode(new ShuffleHandler(), root.resolve("stock-0"), Map.of()),
                        new LoopbackNode(new ShuffleHandler(), root.resolve("stock-1"), Map.of()));
        spillway =
                List.of(
                        new LoopbackNode(
                                new SpillwayShuffleHandler(), root.resolve("spillway-0"), Map.of()),
                        new LoopbackNode(
                                new SpillwayShuffleHandler(), root.resolve("spillway-1"), FRUGAL));
        cut = LoopbackNode.behind(UnreliableLink.Mischief.CUT, root.resolve("cut"), Map.of());
        flip = LoopbackNode.behind(UnreliableLink.Mischief.FLIP, root.resolve("flip"), UNSEALED);
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** Moves the job's map outputs to the nodes, the first time it asks. */
    static synchronized LoopbackJob admit(
            final org.apache.hadoop.mapreduce.JobID localId,
            final Map<TaskAttemptID, MapOutputFile> outputs,
            final JobConf conf)
            throws IOException {
        if (instance == null) {
            instance = new LoopbackNodes();
        }
        final Admission known = instance.admissions.get(localId.toString());
        return known != null ? known.job : instance.admitNew(localId, outputs, conf).job;
    }

    /** How often the unreliable links did mischief. */
    static synchronized int mischiefs() {
        return instance == null
                ? 0
                : instance.nodes().stream().mapToInt(LoopbackNode::mischiefs).sum();
    }

    /** Forgets a job and its map outputs; one that never came is no error. */
    static synchronized void release(final org.apache.hadoop.mapreduce.JobID localId) {
        if (instance == null || localId == null) {
            return;
        }
        final Admission known = instance.admissions.remove(localId.toString());
        if (known != null) {
            instance.drop(known);
        }
    }

    private Admission admitNew(
            final org.apache.hadoop.mapreduce.JobID localId,
            final Map<TaskAttemptID, MapOutputFile> outputs,
            final JobConf conf)
            throws IOException {
        final ApplicationId application = ApplicationId.newInstance(CLUSTER_TIMESTAMP, ++jobs);
        final JobID id = new JobID(Long.toString(CLUSTER_TIMESTAMP), jobs);
        final String user = UserGroupInformation.getCurrentUser().getShortUserName();
        final Token<JobTokenIdentifier> token =
                new Token<>(
                        new JobTokenIdentifier(new Text(id.toString())),
                        new JobTokenSecretManager());
        for (final LoopbackNode node : nodes()) {
            node.start(application, user, token);
        }
        final Admission admission =
                new Admission(
                        new LoopbackJob(
                                id,
                                JobTokenSecretManager.createSecretKey(token.getPassword()),
                                new ArrayList<>(),
                                conf.getBoolean(BUSY, false)),
                        application,
                        user);
        admissions.put(localId.toString(), admission);
        final Layout layout = conf.getEnum(LAYOUT, Layout.STOCK);
        final List<TaskAttemptID> arriving = new ArrayList<>(new TreeSet<>(outputs.keySet()));
        final long arrival = conf.getLong(ARRIVAL, 0);
        if (arrival != 0) {
            Collections.shuffle(arriving, new Random(arrival));
        }
        for (final TaskAttemptID attempt : arriving) {
            final int map = attempt.getTaskID().getId();
            publish(admission, map, outputs.get(attempt), nodeOf(layout, map));
        }
        return admission;
    }

    private static void publish(
            final Admission admission,
            final int map,
            final MapOutputFile output,
            final LoopbackNode node)
            throws IOException {
        final LoopbackJob job = admission.job;
        int attempt = map % 3;
        if (job.busy() && map % 3 == 1) {
            job.announce(map, attempt++, TaskCompletionEvent.Status.KILLED, node.address());
        }
        if (job.busy() && map % 4 == 2) {
            final TaskAttemptID lost =
                    job.announce(
                            map, attempt, TaskCompletionEvent.Status.SUCCEEDED, node.address());
            node.store(admission.application, admission.user, lost, output);
            job.announce(map, attempt++, TaskCompletionEvent.Status.FAILED, node.address());
        }
        final TaskAttemptID succeeded =
                job.announce(map, attempt, TaskCompletionEvent.Status.SUCCEEDED, node.address());
        node.store(admission.application, admission.user, succeeded, output);
    }

    private LoopbackNode nodeOf(final Layout layout, final int map) {
        return switch (layout) {
            case STOCK -> stock.get(map % stock.size());
            case SPILLWAY -> spillway.get(map % spillway.size());
            case CUT -> cut;
            case FLIP -> flip;
            case MIXED -> map % 2 == 0 ? spillway.get(0) : stock.get(0);
        };
    }

    private List<LoopbackNode> nodes() {
        return Stream.of(stock, spillway, List.of(cut, flip)).flatMap(List::stream).toList();
    }

    private void drop(final Admission admission) {
        for (final LoopbackNode node : nodes()) {
            node.stop(admission.application);
            node.delete(admission.application, admission.user);
        }
    }

    private void close() {
        nodes().forEach(LoopbackNode::close);
        FileUtil.fullyDelete(root.toFile());
    }
}
