// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.host.TestJvm;
import io.spillway.transport.ucx.Ucx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads UCX in processes whose other threads need SIGSEGV without end. */
class JvmSignalsTest {
    private static final Map<String, String> TASK = Map.of("CONTAINER_ID", "container_1_1_01_1");

    @TempDir private Path folder;

    @BeforeEach
    void needsUcx() {
        Ucx.require();
    }

    private String load(final Map<String, String> environment) throws Exception {
        final ProcessBuilder builder =
                new ProcessBuilder(TestJvm.command(List.of("-Xmx64m"), UcxLoadMain.class))
                        .directory(folder.toFile())
                        .redirectErrorStream(true);
        builder.environment().remove("UCX_ERROR_SIGNALS");
        builder.environment().remove("CONTAINER_ID");
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed.trim();
    }

    @Test
    void aTaskTellsUcxByAFile() throws Exception {
        assertThat(load(TASK)).isEqualTo("LOADED");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aTasksOwnFileStays() throws Exception {
        final Path file = Files.writeString(folder.resolve("ucx.conf"), "UCX_LOG_LEVEL=fatal\n");
        assertThat(load(TASK)).contains("ucx.conf").contains("expected a line UCX_ERROR_SIGNALS=");

        Files.writeString(file, "UCX_LOG_LEVEL=fatal\nUCX_ERROR_SIGNALS=\n");
        assertThat(load(TASK)).isEqualTo("LOADED");
        assertThat(file).exists();
    }

    @Test
    void theEnvironmentIsEnough() throws Exception {
        assertThat(load(Map.of("UCX_ERROR_SIGNALS", ""))).isEqualTo("LOADED");
        assertThat(load(Map.of("UCX_HANDLE_ERRORS", "none"))).isEqualTo("LOADED");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void nothingIsLoadedWhereUcxWouldTakeTheSignals() throws Exception {
        assertThat(load(Map.of())).contains("UCX_ERROR_SIGNALS is not set");
        final AtomicBoolean loaded = new AtomicBoolean();
        assertThatThrownBy(() -> JvmSignals.keep(Map.of(), () -> loaded.set(true)))
                .isInstanceOf(IOException.class);
        assertThat(loaded).isFalse();
    }
}
