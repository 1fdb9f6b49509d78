// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** No cluster at all: Hadoop's LocalJobRunner, one JVM, files of this host. Immutable. */
public final class SingleProcess implements HadoopSite {
    private final HadoopRuntime runtime;
    private final PlugIn plugIn;
    private final Path folder;

    /** Jobs keep their files in a folder of the work folder. */
    public SingleProcess(final WorkFolder work, final HadoopRuntime runtime, final PlugIn plugIn) {
        this.runtime = runtime;
        this.plugIn = plugIn;
        this.folder = work.root().resolve("single-process");
    }

    @Override
    public String hadoopVersion() {
        return runtime.version();
    }

    @Override
    public List<String> clientClassPath() {
        return runtime.classPath();
    }

    @Override
    public Path examplesJar() {
        return runtime.examplesJar();
    }

    @Override
    public void writeClientConf(final Path conf, final Map<String, String> properties)
            throws IOException {
        final Map<String, String> core = new TreeMap<>();
        core.put("fs.defaultFS", "file:///");
        core.put("hadoop.tmp.dir", folder.resolve("tmp").toString());
        ConfFile.write(conf.resolve("core-site.xml"), core);
        final Map<String, String> mapred = new TreeMap<>(properties);
        mapred.put("mapreduce.framework.name", "local");
        ConfFile.write(conf.resolve("mapred-site.xml"), mapred);
        Files.writeString(conf.resolve("log4j.properties"), ConfFile.LOGGING);
    }

    /** The client runs the tasks. */
    @Override
    public List<String> clientOptions() {
        return List.of();
    }

    @Override
    public Optional<String> property(final String name) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> plugInProperties() {
        return Map.of(); // the client's own class path is the tasks'
    }

    @Override
    public PlugIn plugIn() {
        return plugIn;
    }

    @Override
    public String dataFolder() {
        return folder.resolve("data").toString();
    }

    @Override
    public boolean dataOnLocalFiles() {
        return true;
    }

    @Override
    public Optional<Path> storage() {
        return Optional.of(folder);
    }

    @Override
    public Optional<URI> historyServer() {
        return Optional.empty();
    }

    @Override
    public Path jobsFolder() {
        return folder.resolve("jobs");
    }
}
