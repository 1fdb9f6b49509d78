// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Somewhere that jobs can be submitted to. Implementations are safe for use by several threads. */
public interface HadoopSite {
    /** The release, as {@code 3.5.0}, or what is known of it. */
    String hadoopVersion();

    /** Class path of a client's JVM, without the configuration folder and without our jars. */
    List<String> clientClassPath();

    /** Hadoop's example programs. */
    Path examplesJar();

    /**
     * Writes a client's configuration files into a folder.
     *
     * @param properties of the job; they win over the site's
     */
    void writeClientConf(Path folder, Map<String, String> properties) throws IOException;

    /** Variables for the environment of a client's JVM. */
    default Map<String, String> clientEnvironment() {
        return Map.of();
    }

    /** What goes before the command of a client's JVM; nothing where it runs like any process. */
    default List<String> clientPrefix() {
        return List.of();
    }

    /** Options of a client's JVM; one that only submits is not worth compiling well. */
    default List<String> clientOptions() {
        return List.of(BriefJvm.ONE_COMPILER);
    }

    /** A property of its files, where they have it; variables are not replaced. */
    Optional<String> property(String name);

    /** What puts Spillway's plug-ins on the class path of a job's tasks. */
    Map<String, String> plugInProperties();

    /** Our jars. */
    PlugIn plugIn();

    /** A folder for benchmark data, as Hadoop understands it. */
    String dataFolder();

    /** Whether Hadoop's paths are also paths of this host's file system. */
    boolean dataOnLocalFiles();

    /** The folder of this host whose disk holds the data, where there is one. */
    Optional<Path> storage();

    /** The JobHistoryServer, where there is one; {@link #web} reaches it. */
    Optional<URI> historyServer();

    /** Reaches its daemons. */
    default Web web() {
        return Web.DIRECT;
    }

    /** What of it is emulated, in words; nothing where it is what it seems to be. */
    default Optional<String> emulation() {
        return Optional.empty();
    }

    /** The logs of a job's tasks, where they are at hand. */
    default List<Path> taskLogs(final String jobId) {
        return List.of();
    }

    /** The CPU that the processes which serve map output have taken, where they are in sight. */
    default ServiceCpu serviceCpu() {
        return ServiceCpu.UNKNOWN;
    }

    /** What is known of the site's size, by plain keys, as {@code nodes}. */
    default Map<String, Object> facts() {
        return Map.of();
    }

    /** A folder of this host for the configuration and logs of submitted jobs. */
    Path jobsFolder();
}
