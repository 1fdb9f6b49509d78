// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.host.OwnUser;
import io.spillway.host.TestJvm;
import io.spillway.transport.ucx.Ucx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host whose folders for temporary files are mounted noexec, as hardened ones are. */
class NoexecFolderTest {
    private static final String MOUNT = "mount -t tmpfs -o noexec tmpfs \"$0\" && exec \"$@\"";

    @TempDir private Path folder;

    @Test
    void isNamedWithTheSettingThatChoosesAnother() throws Exception {
        Ucx.require();
        assumeThat(OwnUser.name()).as("only root mounts").isEqualTo("root");
        final List<String> command =
                new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", MOUNT));
        command.add(folder.toString());
        command.addAll(
                TestJvm.command(
                        List.of("-Xmx64m", "-Djava.io.tmpdir=" + folder), UcxLoadMain.class));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        final Process process = builder.start();
        final String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed)
                .contains("ucx: libucp cannot be loaded")
                .endsWith(
                        "java.io.tmpdir="
                                + folder
                                + ", expected a folder that is not mounted noexec\n");
    }
}
