// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Differences;
import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Examination;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.doctor.check.SettingsCheck;
import io.spillway.cli.doctor.host.HadoopClient;
import io.spillway.cli.doctor.host.HandlerCheck;
import io.spillway.cli.doctor.host.SpillwayJars;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.Rest;
import io.spillway.conf.UnknownSettings;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Examines the NodeManagers of a cluster, by HTTP and by their shuffle ports. */
public final class YarnDoctor {
    private static final Duration LIMIT = Duration.ofSeconds(8);
    private static final int THREADS = 64;
    private static final int SHUFFLE_PORT = 13562;

    private final Rest rest;
    private final URI resourceManager;
    private final Map<String, String> properties;
    private final Map<String, String> client;

    /**
     * Creates it.
     *
     * @param rest reaches the daemons
     * @param resourceManager where its web services are
     * @param properties of the site
     * @param client the versions of its client
     */
    public YarnDoctor(
            final Rest rest,
            final URI resourceManager,
            final Map<String, String> properties,
            final Map<String, String> client) {
        this.rest = rest;
        this.resourceManager = resourceManager;
        this.properties = Map.copyOf(properties);
        this.client = Map.copyOf(client);
    }

    /**
     * Examines all NodeManagers, some at a time.
     *
     * @throws CommandException when the ResourceManager does not answer
     */
    public DoctorReport examine() {
        final JsonNode answer = answer();
        final ExecutorService threads =
                Executors.newFixedThreadPool(THREADS, DaemonThreads.numbered("doctor-yarn"));
        try {
            final List<Future<HostFindings>> looks = new ArrayList<>();
            long clusterMb = 0;
            for (final JsonNode node : Rest.elements(answer)) {
                clusterMb +=
                        node.path("usedMemoryMB").asLong() + node.path("availMemoryMB").asLong();
                final Callable<HostFindings> look = () -> examine(ClusterNode.of(node));
                looks.add(threads.submit(look));
            }
            final List<HostFindings> hosts = new ArrayList<>();
            for (final Future<HostFindings> look : looks) {
                hosts.add(look.get());
            }
            final List<Finding> findings = new ArrayList<>(Differences.among(withClient(hosts)));
            findings.addAll(
                    new Examination(LIMIT)
                            .of(List.of(new ConnectionsCheck(clusterMb, properties))));
            return new DoctorReport(hosts, findings);
        } catch (final ExecutionException e) {
            throw new CommandException("cannot examine a NodeManager: " + e.getCause(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private List<HostFindings> withClient(final List<HostFindings> hosts) {
        final List<HostFindings> all = new ArrayList<>(hosts);
        all.add(new HostFindings("this client", client, List.of()));
        return all;
    }

    /**
     * All NodeManagers that the ResourceManager lists, in every state.
     *
     * @throws CommandException when it does not answer
     */
    public List<ClusterNode> nodes() {
        return Rest.elements(answer()).stream().map(ClusterNode::of).toList();
    }

    private JsonNode answer() {
        try {
            return rest.get(resourceManager.resolve("/ws/v1/cluster/nodes"))
                    .path("nodes")
                    .path("node");
        } catch (final IOException e) {
            throw new CommandException(
                    "the ResourceManager does not answer at " + resourceManager + ": " + e, e);
        }
    }

    /**
     * When the JVM of a NodeManager was started, by its host's clock. A restart changes it.
     *
     * @return milliseconds since 1970
     * @throws IOException when the NodeManager does not answer, or not with its start time
     */
    public long started(final ClusterNode node) throws IOException {
        return ManagerFacts.started(rest, URI.create(scheme() + node.web()));
    }

    /** Examines one NodeManager. */
    public HostFindings examine(final ClusterNode node) {
        final List<Check> first = List.of(new ManagerStateCheck(node));
        if (node.web().isEmpty()) {
            return new HostFindings(node.id(), Map.of(), new Examination(LIMIT).of(first));
        }
        final ManagerCheck manager = new ManagerCheck(rest, URI.create(scheme() + node.web()));
        final List<Finding> findings = new ArrayList<>();
        findings.addAll(new Examination(LIMIT).of(List.of(first.get(0), manager)));
        manager.facts()
                .ifPresent(facts -> findings.addAll(new Examination(LIMIT).of(of(node, facts))));
        return new HostFindings(
                node.id(),
                manager.facts().map(known -> facts(node, known)).orElse(Map.of()),
                findings);
    }

    private String scheme() {
        return resourceManager.getScheme() + "://";
    }

    private static List<Check> of(final ClusterNode node, final ManagerFacts facts) {
        final Map<String, String> own = new TreeMap<>(facts.configuration().properties());
        own.keySet().removeIf(name -> !name.startsWith(UnknownSettings.PREFIX));
        final int port = (int) facts.configuration().number("mapreduce.shuffle.port", SHUFFLE_PORT);
        final List<Check> checks =
                new ArrayList<>(
                        List.of(
                                new HandlerCheck(facts.configuration()),
                                new ServedCheck(facts),
                                new SettingsCheck(own)));
        if (port != 0) {
            checks.add(
                    new ShufflePortCheck(new InetSocketAddress(node.host(), port), facts.serves()));
        }
        return checks;
    }

    /** What should be the same on all. */
    private static Map<String, String> facts(final ClusterNode node, final ManagerFacts facts) {
        final Map<String, String> same = new TreeMap<>();
        same.put(HadoopClient.HADOOP, node.version());
        same.put("java", facts.java());
        same.put(
                HadoopClient.JAR, facts.jar().map(SpillwayJars::version).orElse(HadoopClient.NONE));
        return same;
    }
}
