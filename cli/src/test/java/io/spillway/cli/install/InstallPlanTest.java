// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.doctor.host.HostFiles;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What install makes of configuration folders with planted faults. */
class InstallPlanTest {
    private static final Instant NOW = Instant.parse("2026-11-27T04:05:06Z");

    private static final String YARN =
            """
            <?xml version="1.0"?>
            <!-- the site's own -->
            <configuration>
              <property>
                <name>yarn.nodemanager.aux-services</name>
                <value>spark_shuffle,mapreduce_shuffle</value>
              </property>
              <property><!-- why -->
                <name>yarn.nodemanager.aux-services.mapreduce_shuffle.class</name>
                <value>org.apache.hadoop.mapred.ShuffleHandler</value>
              </property>
            </configuration>
            """;

    @TempDir private Path root;
    private Path conf;

    @BeforeEach
    void plant() throws IOException {
        conf = Files.createDirectories(root.resolve("etc/hadoop/conf"));
        write("yarn-site.xml", YARN);
        write("core-site.xml", "<configuration/>");
        write("mapred-site.xml", "<configuration>\n</configuration>\n");
    }

    private void write(final String file, final String text) throws IOException {
        Files.writeString(conf.resolve(file), text);
    }

    private void yarn(final String properties) throws IOException {
        write("yarn-site.xml", "<configuration>\n" + properties + "\n</configuration>\n");
    }

    private static String property(final String name, final String value) {
        return "<property><name>" + name + "</name><value>" + value + "</value></property>";
    }

    private InstallPlan plan() throws IOException {
        return InstallPlan.of(conf);
    }

    @Test
    void saysAsADiffWhatTurnsSpillwayOn() throws IOException {
        final InstallPlan plan = plan();
        assertThat(plan.conflicts()).isEmpty();
        assertThat(plan.changes()).hasSize(2);
        final String file = conf.resolve("yarn-site.xml").toString();
        assertThat(plan.changes().get(0).diff())
                .isEqualTo(
                        """
                        --- %s
                        +++ %s
                        @@ -7,6 +7,6 @@
                           </property>
                           <property><!-- why -->
                             <name>yarn.nodemanager.aux-services.mapreduce_shuffle.class</name>
                        -    <value>org.apache.hadoop.mapred.ShuffleHandler</value>
                        +    <value>%s</value>
                           </property>
                         </configuration>
                        """
                                .formatted(file, file, PlugIn.HANDLER));
        assertThat(plan.changes().get(1).diff())
                .contains(
                        "+    <name>mapreduce.job.map.output.collector.class</name>",
                        "+    <name>mapreduce.job.reduce.shuffle.consumer.plugin.class</name>");
        assertThat(Files.readString(conf.resolve("yarn-site.xml"))).isEqualTo(YARN);
    }

    @Test
    void addsItsServiceToThoseOfOthers() throws IOException {
        yarn(property("yarn.nodemanager.aux-services", "spark_shuffle"));
        Files.delete(conf.resolve("mapred-site.xml"));
        final InstallPlan plan = plan();
        assertThat(plan.changes().get(0).after())
                .contains("<value>spark_shuffle,mapreduce_shuffle</value>");
        assertThat(plan.changes().get(1).diff()).startsWith("--- /dev/null\n");
    }

    @Test
    void namesConflictsWithTheirLines() throws IOException {
        final String handler = PlugIn.HANDLER_PROPERTY;
        yarn(property(handler, "com.example.OtherHandler"));
        assertThat(plan().conflicts())
                .singleElement()
                .asString()
                .contains("yarn-site.xml:2", "com.example.OtherHandler names another plug-in");
        yarn(property(handler, "a") + "\n" + property(handler, "b"));
        assertThat(plan().conflicts())
                .singleElement()
                .asString()
                .contains("is defined 2 times, in lines [2, 3] of yarn-site.xml");
        yarn(property("yarn.nodemanager.aux-services", "${services}"));
        assertThat(plan().conflicts())
                .singleElement()
                .asString()
                .contains(
                        "yarn.nodemanager.aux-services=${services} has a variable in it: add"
                                + " mapreduce_shuffle to it by hand");
        yarn(
                "<property><name>"
                        + handler
                        + "</name><value>org.apache.hadoop.mapred.ShuffleHandler</value>"
                        + "<final>true</final></property>");
        assertThat(plan().conflicts())
                .singleElement()
                .asString()
                .contains("is final: remove <final>");
        yarn(property("yarn.nodemanager.aux-services.manifest.enabled", "true"));
        assertThat(plan().conflicts()).singleElement().asString().contains("from a manifest");
        write("yarn-site.xml", YARN);
        write(
                "mapred-site.xml",
                "<configuration>"
                        + property(
                                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                                "org.apache.hadoop.mapreduce.task.reduce.CelebornShuffleConsumer")
                        + "</configuration>");
        assertThat(plan().conflicts()).singleElement().asString().contains("another plug-in");
        write(
                "mapred-site.xml",
                "<configuration>"
                        + property(
                                "mapreduce.job.map.output.collector.class",
                                "io.spillway.hadoop.SpillwayCollector,com.example.Collector")
                        + "</configuration>");
        assertThat(plan().conflicts()).singleElement().asString().contains("another plug-in");
        write("mapred-site.xml", "<configuration>");
        assertThatThrownBy(this::plan)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("mapred-site.xml:1: does not parse");
    }

    /** A definition of its own would hide the services that the included file names. */
    @Test
    void leavesAFileWithIncludesToTheAdministrator() throws IOException {
        final String include =
                "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='more.xml'/>";
        yarn(include);
        assertThat(plan().conflicts())
                .hasSize(2)
                .first()
                .asString()
                .contains("includes other files", "add mapreduce_shuffle to it by hand");
        yarn(
                include
                        + property("yarn.nodemanager.aux-services", "mapreduce_shuffle")
                        + property(PlugIn.HANDLER_PROPERTY, PlugIn.HANDLER));
        assertThat(plan().conflicts()).isEmpty();
    }

    @Test
    void saysWhoElseWritesTheFile() throws IOException {
        yarn("<!-- Autogenerated by Cloudera Manager -->");
        assertThat(plan().notes()).singleElement().asString().contains("by Cloudera Manager");
    }

    @Test
    void appliesAndRestoresEveryByte() throws IOException {
        Files.writeString(
                conf.resolve("yarn-site.xml"),
                YARN.replace("?>", " encoding='ISO-8859-1'?>").replace("own", "\u00f6wn"),
                StandardCharsets.ISO_8859_1);
        Files.setPosixFilePermissions(
                conf.resolve("yarn-site.xml"), PosixFilePermissions.fromString("rw-rw-r--"));
        final byte[] yarn = Files.readAllBytes(conf.resolve("yarn-site.xml"));
        Files.delete(conf.resolve("mapred-site.xml"));
        final AppliedInstall applied = new AppliedInstall(conf);
        assertThat(applied.apply(plan().changes(), NOW))
                .containsExactly(conf.resolve("yarn-site.xml.spillway-20261127-040506"));

        assertThat(plan().changes()).as("all is there").isEmpty();
        assertThat(mode("yarn-site.xml")).isEqualTo("rw-rw-r--");
        assertThat(mode("mapred-site.xml")).as("as the file beside it").isEqualTo("rw-rw-r--");
        assertThat(mode(AppliedInstall.RECORD)).as("it holds their texts").isEqualTo("rw-------");
        assertThatThrownBy(() -> applied.apply(List.of(), NOW)).hasMessageContaining("--undo");
        applied.undo();
        assertThat(Files.readAllBytes(conf.resolve("yarn-site.xml"))).isEqualTo(yarn);
        try (Stream<Path> files = Files.list(conf)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("yarn-site.xml", "core-site.xml");
        }
        assertThatThrownBy(applied::undo).hasMessageContaining("nothing to undo");
    }

    private String mode(final String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(conf.resolve(file)));
    }

    @Test
    void writesNothingWhereAFileWasChangedMeanwhile() throws IOException {
        final List<SiteChange> changes = plan().changes();
        final String changed = YARN.replace("own", "new");
        write("yarn-site.xml", changed);
        assertThatThrownBy(() -> new AppliedInstall(conf).apply(changes, NOW))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("yarn-site.xml was changed by someone else");
        assertThat(conf.resolve("yarn-site.xml")).hasContent(changed);
        assertThat(conf.resolve(AppliedInstall.RECORD)).doesNotExist();
    }

    @Test
    void restoresNothingWhereAFileWasChangedSince() throws IOException {
        final AppliedInstall applied = new AppliedInstall(conf);
        applied.apply(plan().changes(), NOW);
        final Path yarn = conf.resolve("yarn-site.xml");
        final String changed =
                Files.readString(yarn).replace("<!-- the site's own -->", "<!-- mine -->");
        Files.writeString(yarn, changed);

        assertThatThrownBy(applied::undo)
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("-<!-- the site's own -->\n+<!-- mine -->");
        assertThat(yarn).hasContent(changed);
        assertThat(Files.readString(conf.resolve("mapred-site.xml"))).contains("SpillwayShuffle");
    }

    /** Beside the second file no other one fits: its name is as long as a name can be. */
    @Test
    void restoresWhatWasAppliedInPart() throws IOException {
        final Path mapred = conf.resolve("mapred-site.xml");
        final Path longest = Files.move(mapred, root.resolve("x".repeat(255)));
        Files.createSymbolicLink(mapred, longest);
        final AppliedInstall applied = new AppliedInstall(conf);
        assertThatThrownBy(() -> applied.apply(plan().changes(), NOW))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("cannot replace " + mapred)
                .hasMessageContaining("Run --undo");
        assertThat(Files.readString(conf.resolve("yarn-site.xml"))).contains(PlugIn.HANDLER);

        assertThat(applied.undo()).containsExactly(conf.resolve("yarn-site.xml"));
        assertThat(conf.resolve("yarn-site.xml")).hasContent(YARN);
        assertThat(mapred).isSymbolicLink().hasContent("<configuration>\n</configuration>\n");
        Files.delete(longest);
        assertThatThrownBy(this::plan)
                .hasMessageContaining(
                        "is a symbolic link to " + longest + ", which does not exist");
    }

    @Test
    void restoresNothingWithoutAnOriginal() throws IOException {
        final AppliedInstall applied = new AppliedInstall(conf);
        final Path backup = applied.apply(plan().changes(), NOW).get(1);
        Files.delete(backup);
        assertThatThrownBy(applied::undo).hasMessageContaining("no " + backup);
        assertThat(Files.readString(conf.resolve("yarn-site.xml"))).contains(PlugIn.HANDLER);
    }

    @Test
    void writesACompleteFolderBesideIt() throws IOException {
        Files.writeString(
                Files.createDirectories(conf.resolve("shellprofile.d")).resolve("a.sh"), "x");
        final Path target = root.resolve("overlay");
        Overlay.write(plan(), target);
        assertThat(InstallPlan.of(target).changes()).isEmpty();
        assertThat(target.resolve("shellprofile.d/a.sh")).hasContent("x");
        assertThat(conf.resolve("yarn-site.xml")).hasContent(YARN);
        assertThatThrownBy(() -> Overlay.write(plan(), target)).hasMessageContaining("an empty");
        assertThatThrownBy(() -> Overlay.write(plan(), conf.resolve("new")))
                .hasMessageContaining("outside");
    }

    @Test
    void seesWhatAFinalPropertyElsewhereOverrides() {
        final List<WantedProperty> all = WantedProperty.all();
        final Map<String, String> properties = new TreeMap<>();
        all.forEach(wanted -> properties.put(wanted.name(), wanted.value()));
        properties.put("yarn.nodemanager.aux-services", "spark_shuffle, mapreduce_shuffle");
        assertThat(all).allMatch(wanted -> wanted.isIn(properties));
        properties.put("yarn.nodemanager.aux-services", "spark_shuffle");
        properties.remove(PlugIn.HANDLER_PROPERTY);
        assertThat(all).filteredOn(wanted -> !wanted.isIn(properties)).hasSize(2);
    }

    @Test
    void findsTheFolderOfEveryLayout() throws IOException {
        final HostFiles files = new HostFiles(root);
        final Map<String, String> nothing = Map.of("PATH", "");
        assertThat(ConfFolder.find(files, nothing)).isEqualTo(conf);
        final Path parcel =
                Files.createDirectories(root.resolve("opt/cloudera/parcels/CDH-7/lib/hadoop"));
        Files.createFile(parcel.resolve("hadoop-common-3.4.2.jar"));
        final Path ofParcel = Files.createDirectories(parcel.resolve("etc/hadoop"));
        Files.writeString(ofParcel.resolve("yarn-site.xml"), YARN);
        assertThat(ConfFolder.find(files, nothing)).isEqualTo(ofParcel);
        assertThat(ConfFolder.find(files, Map.of("YARN_CONF_DIR", conf.toString())))
                .isEqualTo(conf);
        assertThatThrownBy(
                        () ->
                                ConfFolder.find(
                                        files,
                                        Map.of(
                                                "YARN_CONF_DIR",
                                                conf.toString(),
                                                "HADOOP_CONF_DIR",
                                                ofParcel.toString())))
                .hasMessageContaining("name two folders");
        assertThatThrownBy(() -> ConfFolder.find(new HostFiles(root.resolve("no")), nothing))
                .hasMessageContaining("no yarn-site.xml in")
                .hasMessageContaining("--conf");
    }
}
