// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchScriptTest {
    @TempDir private Path folder;

    /** In place of the command: prints its arguments, and becomes what follows {@code --}. */
    private Path command() throws IOException {
        final Path command = folder.resolve("the command");
        Files.writeString(
                command,
                "#!/bin/bash\nfor word; do echo \"<$word>\"; shift; [ \"$word\" != -- ] || exec"
                        + " \"$@\"; done\n");
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
        return command;
    }

    @Test
    void runsItsLinesAsAShellWould() throws Exception {
        final String text =
                BatchScript.of(
                        2,
                        "00:10:00",
                        List.of("--partition=big"),
                        List.of("x='a  b'", "printf '%s|' \"$x\" \"it's\" '$HOME'"),
                        command(),
                        List.of("-D", "a=b c"));
        final Path script = Files.writeString(folder.resolve("job.sbatch"), text);

        final Process bash =
                new ProcessBuilder("bash", script.toString()).redirectErrorStream(true).start();
        final String printed =
                new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(bash.waitFor()).as(printed).isZero();
        assertThat(printed.lines())
                .containsExactly("<hpc>", "<run>", "<-D>", "<a=b c>", "<-->", "a  b|it's|$HOME|");
        assertThat(text).startsWith("#!/bin/bash\n").contains("\n#SBATCH --partition=big\n");
        assertThat(text.indexOf("--partition")).isLessThan(text.indexOf("\nset -euo"));
    }

    @Test
    void sortsWhereNothingElseIsAskedFor() throws IOException {
        assertThat(BatchScript.of(4, "01:00:00", List.of(), List.of(), command(), List.of()))
                .contains("#SBATCH --nodes=4\n", "#SBATCH --time=01:00:00\n")
                .contains("\nspillway run terasort ");
    }
}
