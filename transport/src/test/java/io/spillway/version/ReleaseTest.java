// SPDX-License-Identifier: Apache-2.0
package io.spillway.version;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReleaseTest {
    @Test
    void isTheVersionOfTheRootPom() throws Exception {
        assertThat(Files.readString(Path.of("../pom.xml")))
                .contains("<version>" + Release.VERSION + "</version>");
        assertThat(Release.VERSION).matches("\\d+\\.\\d+\\.\\d+(-\\w+)?");
    }
}
