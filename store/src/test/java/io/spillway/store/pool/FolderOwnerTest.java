// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.HostTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an owner leaves in its folder's file, for those that come when it is gone. */
class FolderOwnerTest {
    private static final Duration KEEP = Duration.ofMinutes(10);

    @TempDir private Path root;

    private Path file() {
        return root.resolve(FolderOwner.FILE);
    }

    private Duration waits() throws IOException {
        final FolderOwner cleaner = FolderOwner.tryTake(root).orElseThrow();
        assertThat(cleaner.keep()).isZero();
        final Duration waits = cleaner.waits(root).orElseThrow();
        cleaner.release();
        return waits;
    }

    /** It may be killed before its first sign of life: what it has is kept from the beginning. */
    @Test
    void saysAtOnceForHowLongItIsWaitedFor() throws IOException {
        FolderOwner.take(root, KEEP).release();

        assertThat(file())
                .content()
                .startsWith("process=" + ProcessHandle.current().pid() + "\nkeep.seconds=600\n");
        assertThat(waits()).isBetween(KEEP.minusMinutes(1), KEEP);
        assertThat(OwnerSigns.age(file(), Duration.ofMinutes(4))).isPositive();
        assertThat(waits()).isBetween(KEEP.minusMinutes(5), KEEP.minusMinutes(4));
    }

    /** As a host does whose clock battery is empty, when it finds a time server. */
    @ParameterizedTest
    @ValueSource(longs = {-400, 400})
    void aWallClockThatIsSetDoesNotEndTheWait(final long days) throws IOException {
        FolderOwner.take(root, KEEP).release();
        Files.setLastModifiedTime(
                file(), FileTime.from(Instant.now().minus(Duration.ofDays(days))));

        assertThat(waits()).isBetween(KEEP.minusMinutes(1), KEEP);
    }

    @Test
    void afterTheHostsStartTheWaitCountsFromThere() throws IOException {
        FolderOwner.take(root, Duration.ofDays(10_000)).release();
        final String text = Files.readString(file());
        Files.writeString(file(), text.replaceFirst("boot=.*", "boot=0"));

        assertThat(waits())
                .isLessThanOrEqualTo(
                        Duration.ofDays(10_000)
                                .minusSeconds(HostTime.now().orElseThrow().seconds() - 60));
    }

    @Test
    void inAFileOfAVersionBeforeTheFilesTimeCounts() throws IOException {
        Files.writeString(file(), "process=1\nkeep.seconds=600\n");
        Files.setLastModifiedTime(
                file(), FileTime.from(Instant.now().minus(Duration.ofMinutes(4))));

        assertThat(waits()).isBetween(KEEP.minusMinutes(5), KEEP.minusMinutes(4));
    }

    @Test
    void isTheOnlyOneUntilItLeaves() throws IOException {
        final FolderOwner owner = FolderOwner.take(root, KEEP);
        assertThat(owner.keep()).isEqualTo(KEEP);
        assertThat(FolderOwner.tryTake(root)).isEmpty();
        owner.release();
        owner.release();
        FolderOwner.tryTake(root).orElseThrow().release();
    }

    @Test
    void aFolderThatNeverHadAnOwnerWaitsForNone() throws IOException {
        final FolderOwner cleaner = FolderOwner.tryTake(root).orElseThrow();
        assertThat(cleaner.waits(root)).isEmpty();
        cleaner.release();
    }
}
