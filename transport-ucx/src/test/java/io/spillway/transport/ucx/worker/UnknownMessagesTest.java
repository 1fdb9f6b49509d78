// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import io.spillway.transport.ucx.Ucx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages of ids without a handler, where the memory that the C library gives is not 0: UCX does
 * not set the entries of those ids (ucp_worker_set_am_handler_common of 1.13).
 */
@Timeout(120)
class UnknownMessagesTest {
    @TempDir private Path folder;

    @BeforeEach
    void needsUcx() {
        Ucx.require();
    }

    @Test
    void areDropped() throws Exception {
        final ProcessBuilder builder =
                new ProcessBuilder(TestJvm.command(List.of("-Xmx64m"), UnknownMessagesMain.class))
                        .directory(folder.toFile())
                        .redirectErrorStream(true);
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        builder.environment().put("UCX_LOG_LEVEL", "fatal");
        // mallopt(3): new memory is filled with this byte's complement.
        builder.environment().put("MALLOC_PERTURB_", "90");
        final Process process = builder.start();
        final String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).contains("RECEIVED");
    }
}
