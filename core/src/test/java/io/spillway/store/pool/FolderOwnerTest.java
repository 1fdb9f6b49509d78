package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an owner leaves in its folder's file, for those that come when it is gone. */
class FolderOwnerTest {
    private static final Duration KEEP = Duration.ofMinutes(10);

    @TempDir private Path root;

    private Path file() {
        return root.resolve(FolderOwner.FILE);
    }

    /** It may be killed before its first sign of life: what it has is kept from the beginning. */
    @Test
    void saysAtOnceForHowLongItIsWaitedFor() throws IOException {
        FolderOwner.take(root, KEEP).release();
        assertThat(file())
                .hasContent("process=" + ProcessHandle.current().pid() + "\nkeep.seconds=600\n");
        final Instant sign = Instant.ofEpochSecond(1_700_000_000);
        Files.setLastModifiedTime(file(), FileTime.from(sign));

        final FolderOwner cleaner = FolderOwner.tryTake(root).orElseThrow();

        assertThat(cleaner.keptUntil(root)).contains(sign.plus(KEEP));
        assertThat(cleaner.keep()).isZero();
        cleaner.release();
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
        assertThat(cleaner.keptUntil(root)).isEmpty();
        cleaner.release();
    }
}
