// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.spillway.cli.failure.BadInputException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmOptionsTest {
    private static final String MAP = "mapreduce.map.java.opts";
    private static final String REDUCE = "mapreduce.reduce.java.opts";
    private static final String MASTER = "yarn.app.mapreduce.am.command-opts";

    private static Map<String, String> add(final Map<String, String> set, final String options) {
        return JvmOptions.add(name -> Optional.ofNullable(set.get(name)), options);
    }

    @Test
    void theClassPathOfTheArchiveComesBeforeThatOfTheContainer() {
        assertThat(JvmOptions.sharing("/cds/a.jsa", "/x/a.jar:/x/b.jar"))
                .isEqualTo(
                        "-Xshare:auto -XX:SharedArchiveFile=/cds/a.jsa"
                                + " -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"
                                + " -Xlog:cds=off"
                                + " -Xlog:cds+dynamic=off -cp /x/a.jar:/x/b.jar:{{CLASSPATH}}");
    }

    @Test
    void optionsAreAddedToThoseThatAreSet() {
        assertThat(add(Map.of(MAP, "-Xmx3g ", REDUCE, "-Xmx5g", MASTER, "-Xmx1g"), "-new"))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(MAP, "-Xmx3g -new", REDUCE, "-Xmx5g -new", MASTER, "-Xmx1g -new"));
    }

    @Test
    void whereNothingIsSetHadoopsDefaultsStay() {
        assertThat(add(Map.of(), "-new"))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(MAP, "-new", REDUCE, "-new", MASTER, "-Xmx1024m -new"));
        assertThat(add(Map.of("mapred.child.java.opts", "-Xmx9g", MAP, "-Xmx1g"), "-new"))
                .containsEntry(MAP, "-Xmx1g -new")
                .containsEntry(REDUCE, "-Xmx9g -new")
                .containsEntry(MASTER, "-Xmx1024m -new");
    }

    @Test
    void anEarlierArchiveIsReplaced() {
        final Map<String, String> earlier =
                add(Map.of(MAP, "-Xmx3g"), JvmOptions.sharing("/cds/old.jsa", "/x/old.jar"));
        final String options = JvmOptions.sharing("/cds/new.jsa", "/x/new.jar");

        assertThat(add(earlier, options))
                .containsEntry(MAP, "-Xmx3g " + options)
                .containsEntry(REDUCE, options);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Xmx1g -cp /mine",
                "-classpath /mine -Xmx1g",
                "-XX:SharedArchiveFile=/mine.jsa"
            })
    void aClassPathOrArchiveOfTheSitesOwnIsRefused(final String own) {
        assertThatThrownBy(() -> add(Map.of(REDUCE, own), "-new"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(REDUCE + " = " + own);
    }

    @Test
    void propertiesCanBeShownWithoutTheArchive() {
        final Map<String, String> properties =
                add(Map.of(MAP, "-Xmx3g"), JvmOptions.sharing("/cds/a.jsa", "/x/a.jar"));
        properties.put("mapreduce.job.maps", "4");

        assertThat(JvmOptions.withoutSharing(properties))
                .containsOnly(
                        entry(MAP, "-Xmx3g"),
                        entry(MASTER, "-Xmx1024m"),
                        entry("mapreduce.job.maps", "4"));
    }

    @Test
    void tellsWhetherJobsShare() {
        assertThat(JvmOptions.share(Map.of(MAP, "-Xmx1g"))).isFalse();
        assertThat(JvmOptions.share(Map.of())).isFalse();
        assertThat(JvmOptions.share(add(Map.of(), JvmOptions.sharing("/a.jsa", "/b.jar"))))
                .isTrue();
    }
}
