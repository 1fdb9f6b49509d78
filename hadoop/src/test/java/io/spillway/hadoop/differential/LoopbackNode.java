// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.RecordCounts;
import io.spillway.protocol.ProtocolKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryLocalPathHandler;

/** A shuffle handler as a NodeManager runs it, over a local directory of its own. */
final class LoopbackNode {
    private final ShuffleHandler handler;
    private final Path localDir;
    private final int port;
    private Optional<UnreliableLink> link = Optional.empty();

    LoopbackNode(
            final ShuffleHandler handler, final Path localDir, final Map<String, String> settings)
            throws IOException {
        this.handler = handler;
        this.localDir = Files.createDirectories(localDir);
        final Configuration conf = new YarnConfiguration();
        conf.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, 0);
        conf.set(YarnConfiguration.NM_LOCAL_DIRS, localDir.toString());
        settings.forEach(conf::set);
        handler.setAuxiliaryLocalPathHandler(new OneDirectory(localDir));
        handler.init(conf);
        handler.start();
        this.port = ShuffleHandler.deserializeMetaData(handler.getMetaData());
    }

    /** A node of Spillway's with an unreliable link between it and its clients. */
    static LoopbackNode behind(
            final UnreliableLink.Mischief mischief,
            final Path localDir,
            final Map<String, String> settings)
            throws IOException {
        final UnreliableLink link = new UnreliableLink(mischief);
        final Map<String, String> own = new HashMap<>(settings);
        own.put(ProtocolKeys.NODE_ALIASES.name(), "127.0.0.1:" + link.port());
        final LoopbackNode node = new LoopbackNode(new SpillwayShuffleHandler(), localDir, own);
        link.leadTo(node.port);
        node.link = Optional.of(link);
        return node;
    }

    /** How often the link did mischief. */
    int mischiefs() {
        return link.map(UnreliableLink::mischiefs).orElse(0);
    }

    /** What completion events name as the source of a map output. */
    String address() {
        return "http://localhost:" + link.map(UnreliableLink::port).orElse(port);
    }

    void start(
            final ApplicationId application,
            final String user,
            final Token<JobTokenIdentifier> token)
            throws IOException {
        handler.initializeApplication(
                new ApplicationInitializationContext(
                        user, application, ShuffleHandler.serializeServiceData(token)));
    }

    void stop(final ApplicationId application) {
        handler.stopApplication(new ApplicationTerminationContext(application));
    }

    /** Puts a map output where a task of YARN would have written it. */
    void store(
            final ApplicationId application,
            final String user,
            final TaskAttemptID attempt,
            final MapOutputFile output)
            throws IOException {
        final Path directory =
                Files.createDirectories(
                        directory(application, user).resolve("output").resolve(attempt.toString()));
        link(output.getOutputFile(), directory.resolve("file.out"));
        link(output.getOutputIndexFile(), directory.resolve("file.out.index"));
        for (final String suffix : List.of(BlockChecksums.SUFFIX, RecordCounts.SUFFIX)) {
            final org.apache.hadoop.fs.Path beside = output.getOutputFile().suffix(suffix);
            if (Files.exists(Path.of(beside.toUri().getPath()))) {
                link(beside, directory.resolve(beside.getName()));
            }
        }
    }

    /** Removes all that an application left, as a NodeManager does when it ends. */
    void delete(final ApplicationId application, final String user) {
        FileUtil.fullyDelete(directory(application, user).toFile());
    }

    private Path directory(final ApplicationId application, final String user) {
        return localDir.resolve("usercache")
                .resolve(user)
                .resolve("appcache")
                .resolve(application.toString());
    }

    private static void link(final org.apache.hadoop.fs.Path from, final Path to)
            throws IOException {
        Files.createLink(to, Path.of(from.toUri().getPath()));
    }

    void close() {
        link.ifPresent(UnreliableLink::close);
        handler.stop();
    }

    /** Finds every local path below one directory. */
    private record OneDirectory(Path directory) implements AuxiliaryLocalPathHandler {
        @Override
        public org.apache.hadoop.fs.Path getLocalPathForRead(final String path) throws IOException {
            final Path found = directory.resolve(path);
            if (!Files.exists(found)) {
                throw new IOException("No such file: " + found);
            }
            return new org.apache.hadoop.fs.Path(found.toString());
        }

        @Override
        public org.apache.hadoop.fs.Path getLocalPathForWrite(final String path) {
            return new org.apache.hadoop.fs.Path(directory.resolve(path).toString());
        }

        @Override
        public org.apache.hadoop.fs.Path getLocalPathForWrite(final String path, final long size) {
            return getLocalPathForWrite(path);
        }

        @Override
        public Iterable<org.apache.hadoop.fs.Path> getAllLocalPathsForRead(final String path)
                throws IOException {
            return List.of(getLocalPathForRead(path));
        }
    }
}
