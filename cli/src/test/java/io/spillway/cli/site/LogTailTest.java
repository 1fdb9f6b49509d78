// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    @TempDir private Path folder;

    @Test
    void picksTheLinesThatNameErrors() throws IOException {
        final Path log = folder.resolve("log");
        Files.writeString(
                log,
                """
                INFO all is well
                java.net.BindException: Address already in use
                \tat java.base/sun.nio.ch.Net.bind0(Native Method)
                Caused by: java.io.IOException: no
                2026-11-21 10:27:51,581 ERROR NodeManager: Error starting NodeManager
                INFO bye
                """);

        assertThat(LogTail.reason(log))
                .containsExactly(
                        "java.net.BindException: Address already in use",
                        "Caused by: java.io.IOException: no",
                        "2026-11-21 10:27:51,581 ERROR NodeManager: Error starting NodeManager");
    }

    @Test
    void givesTheLastLinesWhereNoneNamesAnError() throws IOException {
        final Path log = folder.resolve("log");
        Files.writeString(log, "one\ntwo\n");

        assertThat(LogTail.reason(log)).containsExactly("one", "two");
        assertThat(LogTail.reason(folder.resolve("none")).get(0)).contains("cannot read");
    }
}
