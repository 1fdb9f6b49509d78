// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.site.ConfFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfFileTest {
    @TempDir private Path folder;

    private static Configuration load(final Path file) {
        final Configuration conf = new Configuration(false);
        conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
        return conf;
    }

    @Test
    void writesWhatHadoopReads() throws IOException {
        final Path file = folder.resolve("sub/core-site.xml");
        ConfFile.write(file, Map.of("a.b", "x<y & \"z\" > $w"));

        assertThat(load(file).get("a.b")).isEqualTo("x<y & \"z\" > $w");
        assertThat(ConfFile.read(file, "a.b")).contains("x<y & \"z\" > $w");
        assertThat(ConfFile.read(file, "none")).isEmpty();
    }

    @Test
    void appendedPropertiesWin() throws IOException {
        final String site = ConfFile.render(Map.of("a", "old", "b", "kept"));
        final Path file = folder.resolve("mapred-site.xml");
        Files.writeString(file, ConfFile.append(site, Map.of("a", "new")));

        assertThat(load(file).get("a")).isEqualTo("new");
        assertThat(load(file).get("b")).isEqualTo("kept");
        assertThat(ConfFile.read(file, "a")).contains("new");
    }

    @Test
    void refusesToAppendToSomethingElse() {
        assertThatThrownBy(() -> ConfFile.append("<html/>", Map.of("a", "b")))
                .hasMessageContaining("</configuration>");
    }
}
