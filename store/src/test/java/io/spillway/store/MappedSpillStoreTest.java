// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedSpillStoreTest extends SpillStoreConformance {
    @TempDir private Path directory;

    @Override
    protected SpillStore newStore() {
        return FileSpillStore.ofMappedFiles(
                "nvm",
                new UnnamedFiles(directory, new FreeSpace(directory, 0)),
                FileSpillStore.canSync(new UnnamedFiles(directory, new FreeSpace(directory, 0))),
                EmulatedNvm.OFF);
    }

    @Test
    void crossesWindows() throws IOException {
        final byte[] bytes = new byte[9 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >>> 20));
        }
        try (SpillStore store = newStore();
                SpillSink sink = store.create("spill0", bytes.length)) {
            sink.write(bytes, 0, 100);
            sink.write(bytes, 100, bytes.length - 100);
            final Spill spill = sink.commit();
            assertThat(spill.open(0, bytes.length).readAllBytes()).isEqualTo(bytes);
            assertThat(spill.open((4 << 20) - 1, 2).readAllBytes())
                    .containsExactly(bytes[(4 << 20) - 1], bytes[4 << 20]);
        }
    }

    /** Pages that stay mapped count as the task's memory until the collector comes by. */
    @Test
    void unmapsWhatIsCommittedAbortedOrRead() throws IOException {
        try (SpillStore store = newStore()) {
            final SpillSink aborted = store.create("aborted", 10);
            aborted.write(new byte[10], 0, 10);
            assertThat(mappings()).isOne();
            aborted.abort();
            assertThat(mappings()).isZero();

            final SpillSink sink = store.create("spill0", 10);
            sink.write(new byte[10], 0, 10);
            assertThat(mappings()).isOne();
            final Spill spill = sink.commit();
            assertThat(mappings()).isZero();

            final InputStream in = spill.open(0, 10);
            assertThat(in.read()).isZero();
            assertThat(mappings()).isOne();
            in.close();
            assertThat(mappings()).isZero();
        }
    }

    /** The JVM turns the signal into an error, and the access turns that into an exception. */
    @Test
    void survivesAFileThatIsCutShortUnderAMapping() throws IOException {
        try (UnnamedFiles files = new UnnamedFiles(directory, new FreeSpace(directory, 0));
                SpillFile file = files.open("spill0", 8 << 20)) {
            final FileAccess access = MappedAccess.opener(false).open(file);
            access.write(0, new byte[1 << 20], 0, 1 << 20);
            file.data().setLength(0);
            assertThatThrownBy(() -> access.write(1 << 20, new byte[1 << 20], 0, 1 << 20))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cut short by someone else");
            access.close();
        }
    }

    /** Of files that this test has made. */
    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory.toString())).count();
        }
    }
}
