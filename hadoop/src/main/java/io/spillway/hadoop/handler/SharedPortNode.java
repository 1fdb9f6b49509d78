// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.node.LocalSegmentSource;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.version.Release;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.ShuffleChannelHandlerContext;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.yarn.server.api.AuxiliaryLocalPathHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves Spillway's protocol on the port of a stock shuffle handler. Thread-safe. */
public final class SharedPortNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedPortNode.class);

    /** The name of Spillway's protocol among the metrics. */
    static final String TCP = TcpTransport.NAME;

    /** The name of stock's among the metrics. */
    static final String HTTP = "http";

    private final LocalSegmentSource source;
    private final StreamServer server;
    private final long epoch;
    private final HttpTraffic http = new HttpTraffic();

    private SharedPortNode(
            final LocalSegmentSource source, final StreamServer server, final long epoch) {
        this.source = source;
        this.server = server;
        this.epoch = epoch;
    }

    /**
     * Starts to serve connections that {@link #before} a stock handler are found to be Spillway's.
     *
     * @param conf the NodeManager's
     * @param secrets of the jobs
     * @param users of the jobs
     * @param paths finds map outputs
     * @param storeRoots folders in which map outputs may lie beside the local directories
     * @param offers the other ways in which reducers can fetch from this host now
     * @return nothing where the settings say so
     * @throws io.spillway.conf.InvalidSettingException for a wrong setting
     */
    public static Optional<SharedPortNode> start(
            final Configuration conf,
            final JobTokenSecretManager secrets,
            final Map<String, String> users,
            final AuxiliaryLocalPathHandler paths,
            final List<Path> storeRoots,
            final Supplier<List<TransportOffer>> offers) {
        if (!HadoopKeys.HANDLER_ENABLED.get(new Lookup(conf))) {
            LOG.info("{}=false: serving stock HTTP only", HadoopKeys.HANDLER_ENABLED);
            return Optional.empty();
        }
        final ServerSettings settings = ServerSettings.ofShufflePort(new Lookup(conf));
        final LocalSegmentSource source =
                new LocalSegmentSource(
                        new MapReduceLayout(),
                        new PathHandlerLocator(paths),
                        storeRoots,
                        users::get,
                        new Lookup(conf));
        final long epoch = System.currentTimeMillis();
        final StreamServer server =
                new StreamServer(
                        source, jobId -> secretOf(secrets, jobId), settings, epoch, offers);
        LOG.info(
                "Spillway {} serves its protocol beside stock {}",
                Release.VERSION,
                ShuffleTls.isSetIn(conf) ? "HTTPS, inside TLS" : "HTTP");
        return Optional.of(new SharedPortNode(source, server, epoch));
    }

    /** Its incarnation: another number after each start. */
    public long epoch() {
        return epoch;
    }

    /** The context of a stock handler before whose connections this node looks at them. */
    public ShuffleChannelHandlerContext before(final ShuffleChannelHandlerContext stock) {
        return new ShuffleChannelHandlerContext(
                stock.conf,
                stock.userRsrc,
                stock.secretManager,
                stock.pathCache,
                stock.indexCache,
                stock.metrics,
                new ActiveChannels(stock.allChannels, server, http, source::freesDescriptorsAfter));
    }

    /** Returns a job's shuffle secret; null where the job is unknown. */
    static byte[] secretOf(final JobTokenSecretManager secrets, final String jobId) {
        try {
            return secrets.retrieveTokenSecret(jobId).getEncoded();
        } catch (final InvalidToken e) {
            LOG.debug("No secret of {}", jobId, e);
            return null;
        }
    }

    /** A task of a job has ended here; does not block. */
    public void taskEnded(final String jobId) {
        source.taskEnded(jobId);
    }

    /** What was served by Spillway's protocol. */
    ServerStats tcpStats() {
        return server.stats();
    }

    /** What stock's handler served beside it. */
    ServerStats httpStats() {
        return http.stats();
    }

    /** Requests over HTTP of reducers of Spillway. */
    long httpFallbacks() {
        return http.fallbacks();
    }

    /** What reading map outputs ahead has brought since the start. */
    public PrefetchStats prefetchStats() {
        return source.prefetchStats();
    }

    /** Forgets a job that has ended. */
    public void dropJob(final String jobId) {
        server.dropJob(jobId);
        source.dropJob(jobId);
    }

    /** Ends every connection. */
    @Override
    public void close() {
        server.close();
        source.close();
    }
}
