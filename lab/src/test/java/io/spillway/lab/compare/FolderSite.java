// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.PlugIn;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A site that is nothing but a folder of this host: for jobs that run in this JVM. */
public record FolderSite(Path folder) implements HadoopSite {
    @Override
    public String hadoopVersion() {
        return HadoopRuntime.DEFAULT_VERSION;
    }

    @Override
    public List<String> clientClassPath() {
        return List.of();
    }

    @Override
    public Path examplesJar() {
        return folder.resolve("examples.jar");
    }

    @Override
    public void writeClientConf(final Path conf, final Map<String, String> properties) {
        throw new IllegalStateException("jobs run in this JVM: " + conf);
    }

    @Override
    public Optional<String> property(final String name) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> plugInProperties() {
        return Map.of();
    }

    @Override
    public PlugIn plugIn() {
        return new PlugIn(folder.resolve("engine.jar"));
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
        return Optional.empty();
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
