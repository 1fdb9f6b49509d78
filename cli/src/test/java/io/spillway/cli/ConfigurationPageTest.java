// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.ConfigurationDoc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {
    @Test
    void docsConfigurationIsWhatTheSettingsSay() throws IOException {
        final Path page = Path.of("..", "docs", "configuration.md");

        assertThat(Files.readString(page))
                .as("stale: ./spillway conf --doc > docs/configuration.md")
                .isEqualTo(ConfigurationDoc.render());
    }
}
