package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedSpillStoreTest extends SpillStoreConformance {
    @TempDir private Path directory;

    @Override
    protected SpillStore newStore() {
        return FileSpillStore.ofMappedFiles(
                "nvm",
                new UnnamedFiles(directory, new Room(directory, 0)),
                FileSpillStore.canSync(new UnnamedFiles(directory, new Room(directory, 0))),
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
}
