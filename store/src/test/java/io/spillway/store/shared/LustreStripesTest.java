// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in the place of {@code lfs}: no Lustre is at hand. */
class LustreStripesTest {
    @TempDir private Path directory;

    private LustreStripes stripes(final int count, final String script) throws IOException {
        final Path lfs = directory.resolve("lfs");
        Files.writeString(lfs, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(lfs, PosixFilePermissions.fromString("rwx------"));
        return new LustreStripes(lfs.toString(), count, Duration.ofSeconds(1));
    }

    @Test
    void asksForStripesOfABlock() throws IOException {
        final Path asked = directory.resolve("asked");
        stripes(4, "echo \"$@\" > " + asked).run(Path.of("/scratch/spillway-job_1_1"));
        assertThat(asked).hasContent("setstripe -S 268435456 -c 4 /scratch/spillway-job_1_1");
    }

    /** What Lustre 2.5 says to a count that it does not know, on two lines of standard error. */
    @Test
    void saysWhatTheCommandSays() throws IOException {
        final String said =
                "echo 'error: bad stripe count 2001: Invalid argument (22)' >&2; echo \"error:"
                        + " setstripe: create stripe file 'test/' failed\" >&2; exit 22";
        assertThatThrownBy(() -> stripes(2001, said).run(Path.of("test/")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("lfs setstripe -S 268435456 -c 2001 test: exit code 22:")
                .hasMessageEndingWith(
                        "error: bad stripe count 2001: Invalid argument (22); error: setstripe:"
                                + " create stripe file 'test/' failed");
    }

    @Test
    void doesNotWaitForACommandThatHangs() throws IOException {
        final Path pid = directory.resolve("pid");
        final LustreStripes hanging = stripes(1, "echo $$ > " + pid + "; exec sleep 600");
        assertThatThrownBy(() -> hanging.run(directory))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith(": no answer within 1000 ms");
        final long process = Long.parseLong(Files.readString(pid).strip());
        assertThat(ProcessHandle.of(process).map(ProcessHandle::onExit))
                .satisfiesAnyOf(
                        none -> assertThat(none).isEmpty(),
                        ends ->
                                assertThat(ends.orElseThrow())
                                        .succeedsWithin(Duration.ofMinutes(1)));
    }

    @Test
    void namesACommandThatIsMissing() {
        final Path missing = directory.resolve("no-lfs");
        final LustreStripes none = new LustreStripes(missing.toString(), 1, Duration.ofSeconds(1));
        assertThatThrownBy(() -> none.run(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(missing.toString());
    }

    /** The output of Lustre 2.12 for directories. */
    @Test
    void looksWhetherTheLayoutIsWhatWasAskedFor() throws IOException {
        final String started = "[ \"$1\" = getstripe ] || exit 0; [ \"$2\" = -d ] || exit 1; ";
        final String kept =
                "echo 'stripe_count:  1 stripe_size:   1048576 pattern:       0 stripe_offset: -1'";
        final String taken =
                "echo 'stripe_count:  1 stripe_size:   268435456 pattern:       raid0"
                        + " stripe_offset: -1 pool:          ddn_hdd'";
        assertThatCode(() -> stripes(1, started + taken).prove(directory))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> stripes(1, started + kept).prove(directory))
                .hasMessageContaining("stripe_size:   1048576")
                .hasMessageEndingWith("expected stripe_size: 268435456");
        assertThatThrownBy(() -> stripes(12, started + taken).prove(directory))
                .hasMessageEndingWith("expected stripe_count: 12");
        final String refused =
                "echo 'lfs getstripe: cannot get lov name: Inappropriate ioctl for device (25)'"
                        + " >&2; exit 25";
        assertThatThrownBy(() -> stripes(1, started + refused).prove(directory))
                .hasMessageContaining("exit code 25: lfs getstripe: cannot get lov name");
    }

    @Test
    void anotherFileSystemIsLeftAlone() throws IOException {
        assertThat(LustreStripes.isLustre(directory)).isFalse();
        final Path asked = directory.resolve("asked");
        stripes(1, "touch " + asked).set(directory);
        assertThat(asked).doesNotExist();
        assertThatCode(() -> stripes(1, "exit 1").set(directory.resolve("missing")))
                .doesNotThrowAnyException();
    }
}
