// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledHadoopTest {
    @TempDir private Path folder;
    private Path home;
    private WorkFolder work;
    private PlugIn plugIn;

    @BeforeEach
    void install() throws IOException {
        home = folder.resolve("hadoop");
        work = new WorkFolder(folder.resolve("work"), folder);
        plugIn = new PlugIn(folder.resolve("plug-in.jar"));
        final Path conf = home.resolve("etc/hadoop");
        ConfFile.write(conf.resolve("core-site.xml"), Map.of("fs.defaultFS", "hdfs://nn:8020"));
        ConfFile.write(
                conf.resolve("mapred-site.xml"),
                Map.of("mapreduce.jobhistory.webapp.address", "jhs:19890", "x", "theirs"));
        ConfFile.write(conf.resolve("yarn-site.xml"), Map.of());
        final Path jars = Files.createDirectories(home.resolve("share/hadoop/mapreduce"));
        Files.createFile(jars.resolve("hadoop-mapreduce-examples-3.4.2.jar"));
        final Path command = home.resolve("bin/hadoop");
        Files.createDirectories(command.getParent());
        Files.writeString(command, "#!/bin/sh\necho \"/opt/a/*:/opt/b.jar\"\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    private InstalledHadoop find() {
        return InstalledHadoop.find(work, plugIn, Map.of("HADOOP_HOME", home.toString()))
                .orElseThrow();
    }

    @Test
    void isNotThereWhereTheEnvironmentNamesNone() {
        assertThat(InstalledHadoop.find(work, plugIn, Map.of())).isEmpty();
        assertThat(InstalledHadoop.find(work, plugIn, Map.of("HADOOP_HOME", ""))).isEmpty();
    }

    @Test
    void readsWhatIsInstalled() {
        assertThat(find().hadoopVersion()).isEqualTo("3.4.2");
        assertThat(find().clientClassPath()).containsExactly("/opt/a/*", "/opt/b.jar");
        assertThat(find().historyServer()).contains(URI.create("http://jhs:19890"));
    }

    @Test
    void addsAJobsPropertiesToACopyOfTheConfiguration() throws IOException {
        final Path conf = folder.resolve("job");
        find().writeClientConf(conf, Map.of("x", "ours"));

        assertThat(ConfFile.read(conf.resolve("mapred-site.xml"), "x")).contains("ours");
        assertThat(ConfFile.read(conf.resolve("core-site.xml"), "fs.defaultFS"))
                .contains("hdfs://nn:8020");
        assertThat(ConfFile.read(home.resolve("etc/hadoop/mapred-site.xml"), "x"))
                .contains("theirs");
    }

    @Test
    void shipsThePlugInWithTheJob() {
        assertThat(find().plugInProperties())
                .containsEntry("tmpjars", plugIn.engine().toUri().toString());
    }

    @Test
    void namesTheFileThatIsMissing() throws IOException {
        Files.delete(home.resolve("etc/hadoop/yarn-site.xml"));

        assertThatThrownBy(this::find)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("etc/hadoop/yarn-site.xml");
    }
}
