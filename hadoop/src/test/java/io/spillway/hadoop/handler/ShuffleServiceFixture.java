// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.ContainerTerminationContext;

/** A shuffle service as a NodeManager runs it, with one map output of one job. */
public final class ShuffleServiceFixture implements AutoCloseable {
    /** The job. */
    public static final String JOB = "job_1700000000000_0007";

    /** The map attempt whose output is there. */
    public static final String ATTEMPT = "attempt_1700000000000_0007_m_000000_0";

    private static final String USER = "alice";
    private static final String SECRET = "the shuffle secret";
    private static final ApplicationId APPLICATION =
            ApplicationId.newInstance(1_700_000_000_000L, 7);
    private static final int[] LENGTHS = {10, 200_000, 6};

    private final ShuffleHandler service;
    private final Configuration conf;
    private final byte[] mapOutput = new byte[10 + 200_000 + 6];
    private final String metricsSource;

    /** Starts the service; the map output is written below {@code localDir}. */
    public ShuffleServiceFixture(
            final ShuffleHandler service, final Configuration conf, final Path localDir)
            throws IOException {
        DefaultMetricsSystem.setMiniClusterMode(true);
        this.service = service;
        this.conf = conf;
        new Random(7).nextBytes(mapOutput);
        writeMapOutput(localDir, ATTEMPT);
        conf.set(YarnConfiguration.NM_LOCAL_DIRS, localDir.toString());
        final Set<String> others = PublishedMetrics.sources();
        service.init(conf);
        service.start();
        metricsSource =
                PublishedMetrics.sources().stream()
                        .filter(source -> !others.contains(source))
                        .findFirst()
                        .orElse("none");
    }

    /** The name of the service's metrics: other tests of this JVM may have handlers too. */
    String metricsSource() {
        return metricsSource;
    }

    /** The settings of a NodeManager that takes any free port. */
    public static Configuration conf() {
        final Configuration conf = new Configuration();
        conf.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, 0);
        // Not one that a user of this host runs.
        conf.set("spillway.node.socket", "/nonexistent/node.sock");
        return conf;
    }

    private void writeMapOutput(final Path localDir, final String attempt) throws IOException {
        final Path directory =
                localDir.resolve(
                        "usercache/" + USER + "/appcache/" + APPLICATION + "/output/" + attempt);
        Files.createDirectories(directory);
        Files.write(directory.resolve("file.out"), mapOutput);
        final SpillRecord index = new SpillRecord(LENGTHS.length);
        for (int partition = 0; partition < LENGTHS.length; partition++) {
            index.putIndex(
                    new IndexRecord(start(partition), LENGTHS[partition] + 1L, LENGTHS[partition]),
                    partition);
        }
        index.writeToFile(
                new org.apache.hadoop.fs.Path(directory.resolve("file.out.index").toUri()),
                new JobConf(new Configuration()));
    }

    private static int start(final int partition) {
        int start = 0;
        for (int i = 0; i < partition; i++) {
            start += LENGTHS[i];
        }
        return start;
    }

    /** What a partition's segment holds. */
    public byte[] segment(final int partition) {
        final byte[] segment = new byte[LENGTHS[partition]];
        System.arraycopy(mapOutput, start(partition), segment, 0, segment.length);
        return segment;
    }

    /** Where reducers find it. */
    public NodeAddress address() throws IOException {
        return new NodeAddress(
                "127.0.0.1", ShuffleHandler.deserializeMetaData(service.getMetaData()));
    }

    /** The first container of the job comes to the host. */
    public void initializeApplication() throws IOException {
        final Token<JobTokenIdentifier> token =
                new Token<>(
                        "identifier".getBytes(StandardCharsets.UTF_8),
                        SECRET.getBytes(StandardCharsets.UTF_8),
                        new Text(USER),
                        new Text("shuffleService"));
        service.initializeApplication(
                new ApplicationInitializationContext(
                        USER, APPLICATION, ShuffleHandler.serializeServiceData(token)));
    }

    /** A map of the job ends, with the same output as that of {@link #ATTEMPT}. */
    public void endMap(final Path localDir, final String attempt) throws IOException {
        writeMapOutput(localDir, attempt);
        service.stopContainer(
                new ContainerTerminationContext(
                        USER,
                        ContainerId.newContainerId(
                                ApplicationAttemptId.newInstance(APPLICATION, 1), 2),
                        Resource.newInstance(1024, 1)));
    }

    /** The job ends. */
    public void stopApplication() {
        service.stopApplication(new ApplicationTerminationContext(APPLICATION));
    }

    /** What a reducer of the job proves itself with. */
    public static JobCredentials credentials() {
        return new JobCredentials(JOB, SECRET.getBytes(StandardCharsets.UTF_8));
    }

    /** Fetches a segment as a stock reducer does. */
    public byte[] fetchOverHttp(final int partition) throws IOException {
        return read(openHttp(partition));
    }

    /** Fetches a segment as a reducer does that names itself. */
    public byte[] fetchOverHttp(final int partition, final String userAgent) throws IOException {
        final HttpURLConnection connection = openHttp(partition);
        connection.setRequestProperty("User-Agent", userAgent);
        return read(connection);
    }

    private static byte[] read(final HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getInputStream()) {
            final DataInputStream data = new DataInputStream(in);
            final ShuffleHeader header = new ShuffleHeader();
            header.readFields(data);
            return data.readAllBytes();
        } finally {
            connection.disconnect();
        }
    }

    /** The status that a stock reducer's request gets. */
    public int statusOverHttp(final int partition) throws IOException {
        final HttpURLConnection connection = openHttp(partition);
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    private HttpURLConnection openHttp(final int partition) throws IOException {
        final URL url =
                URI.create(
                                (ShuffleTls.isSetIn(conf) ? "https://" : "http://")
                                        + address()
                                        + "/mapOutput?job="
                                        + JOB
                                        + "&reduce="
                                        + partition
                                        + "&map="
                                        + ATTEMPT)
                        .toURL();
        final HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        encrypt(connection);
        connection.setRequestProperty(
                ShuffleHeader.HTTP_HEADER_NAME, ShuffleHeader.DEFAULT_HTTP_HEADER_NAME);
        connection.setRequestProperty(
                ShuffleHeader.HTTP_HEADER_VERSION, ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION);
        connection.setRequestProperty(
                SecureShuffleUtils.HTTP_HEADER_URL_HASH,
                SecureShuffleUtils.hashFromString(
                        SecureShuffleUtils.buildMsgFrom(url),
                        JobTokenSecretManager.createSecretKey(
                                SECRET.getBytes(StandardCharsets.UTF_8))));
        return connection;
    }

    /** As stock's Fetcher does. */
    private void encrypt(final HttpURLConnection connection) throws IOException {
        if (!ShuffleTls.isSetIn(conf)) {
            return;
        }
        final SSLFactory factory = new SSLFactory(SSLFactory.Mode.CLIENT, conf);
        try {
            factory.init();
            factory.configure(connection);
        } catch (final GeneralSecurityException e) {
            throw new IOException(e);
        } finally {
            factory.destroy();
        }
    }

    @Override
    public void close() {
        service.stop();
    }
}
