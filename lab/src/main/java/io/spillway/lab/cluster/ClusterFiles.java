// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files of a local cluster: writes its configurations and its secret, finds its logs, and
 * deletes all of them. Not thread-safe, but for what only reads.
 */
final class ClusterFiles {
    private static final List<String> FILES_BUT_LOGS =
            List.of("cluster.json", "conf", "dfs", "hdfs", "hosts", "run", "shared", "tmp");

    private static final int SECRET_BYTES = 32;

    private final ClusterState state;
    private final Path folder;
    private final ClusterConf conf;

    /**
     * Touches nothing yet.
     *
     * @param folder of the cluster
     * @param conf what the files say
     */
    ClusterFiles(final ClusterState state, final Path folder, final ClusterConf conf) {
        this.state = state;
        this.folder = folder;
        this.conf = conf;
    }

    /**
     * Writes what a cluster needs to start.
     *
     * @param temporary the folder of the daemons' temporary files, which is made as well
     * @param data a folder of this machine for the jobs' data, which is made as well
     */
    void create(final Path temporary, final Path data) throws IOException {
        state.write(folder);
        Files.createDirectories(logs());
        Files.createDirectories(temporary);
        Files.createDirectories(data);
        if (conf.sharedFolder().isPresent()) {
            Files.createDirectories(conf.sharedFolder().get());
        }
        writeConf(masterConf(), conf.yarn(), Map.of());
        Files.writeString(conf.excludedHosts(), "");
        if (state.spec().memory().any()) {
            writeSecret(conf.clusterSecret());
        }
        for (int node = 0; node < state.spec().nodes(); node++) {
            writeConf(nodeConf(node), conf.nodeManager(node), conf.nodeManagerMapred(node));
        }
    }

    private static void writeSecret(final Path file) throws IOException {
        final byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, HexFormat.of().formatHex(secret));
    }

    /**
     * Writes the configuration of a daemon or a client.
     *
     * @param yarn its yarn-site.xml
     * @param job properties that are added to its mapred-site.xml, and win in all files
     */
    void writeConf(final Path target, final Map<String, String> yarn, final Map<String, String> job)
            throws IOException {
        final Map<String, String> mapred = new TreeMap<>(conf.mapred());
        mapred.putAll(job);
        ConfFile.write(target.resolve("core-site.xml"), overridden(conf.core(), job));
        ConfFile.write(target.resolve("hdfs-site.xml"), overridden(conf.hdfs(), job));
        ConfFile.write(target.resolve("mapred-site.xml"), mapred);
        ConfFile.write(target.resolve("yarn-site.xml"), overridden(yarn, job));
        ConfFile.write(target.resolve("capacity-scheduler.xml"), conf.scheduler());
        Files.writeString(target.resolve("log4j.properties"), ConfFile.LOGGING);
    }

    /** The cluster's own properties are in every file, and of two files the later one wins. */
    private static Map<String, String> overridden(
            final Map<String, String> site, final Map<String, String> job) {
        final Map<String, String> result = new TreeMap<>(site);
        result.replaceAll((name, value) -> job.getOrDefault(name, value));
        return result;
    }

    /** The configuration of the daemons that are no NodeManagers. */
    Path masterConf() {
        return folder.resolve("conf/master");
    }

    /** The configuration of a NodeManager. */
    Path nodeConf(final int node) {
        return folder.resolve("conf/node-" + node);
    }

    /** Where the daemons' logs are. */
    Path logs() {
        return folder.resolve("logs");
    }

    /** Writes the hosts that are no part of the cluster any more. */
    void exclude(final String hosts) throws IOException {
        Files.writeString(conf.excludedHosts(), hosts + "\n");
    }

    /** The logs of all tasks of an application that are still there. */
    List<Path> taskLogs(final String application) {
        final List<Path> logs = new ArrayList<>();
        for (int node = 0; node < state.spec().nodes(); node++) {
            final Path containers =
                    conf.nodeFolder(node).resolve("containers").resolve(application);
            if (Files.isDirectory(containers)) {
                logs.addAll(logsBelow(containers));
            }
        }
        return logs;
    }

    private static List<Path> logsBelow(final Path containers) {
        try (Stream<Path> files = Files.walk(containers)) {
            return files.filter(file -> file.endsWith("syslog")).toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + containers + ": " + e, e);
        }
    }

    /**
     * Deletes the files; there are no processes any more.
     *
     * @param keepLogs leaves the daemons' and tasks' logs where they are
     */
    void delete(final boolean keepLogs) throws IOException {
        if (conf.sharedFolder().isPresent()) {
            WorkFolder.deleteTree(conf.sharedFolder().get());
        }
        if (keepLogs) {
            deleteAllButLogs();
        } else {
            WorkFolder.deleteTree(folder);
        }
    }

    private void deleteAllButLogs() throws IOException {
        for (final String name : FILES_BUT_LOGS) {
            WorkFolder.deleteTree(folder.resolve(name));
        }
        for (int node = 0; node < state.spec().nodes(); node++) {
            WorkFolder.deleteTree(conf.nodeFolder(node).resolve("local"));
            WorkFolder.deleteTree(conf.nodeFolder(node).resolve("recovery"));
        }
    }
}
