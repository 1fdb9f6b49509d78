// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.SegmentWriter;
import io.spillway.ifile.shared.SharedOutputFile;
import io.spillway.ifile.shared.SharedOutputTail;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.ifile.shared.UnfinishedOutputException;
import io.spillway.store.FileSpillStore;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.StoreFullException;
import io.spillway.store.tier.TieredSpillStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedOutputFilesTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String HOST = "node-1.cluster";
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000001_0";

    @TempDir private Path directory;

    private SharedOutputs outputs;
    private Path file;

    @BeforeEach
    void place() {
        outputs = new SharedOutputs(directory);
        file = outputs.output(JOB, HOST, OUTPUT);
    }

    private SpillStore store() {
        return FileSpillStore.ofFiles(
                "lustre",
                new SharedOutputFiles(
                        outputs, new SharedOutput(JOB, HOST, OUTPUT), new LustreStripes(1)));
    }

    private static final byte[] RECORD = "a key and a value".getBytes(StandardCharsets.UTF_8);

    /** Writes the segments of an output; ends it with its tail where that is wanted. */
    private static void write(final SpillStore store, final boolean seals) throws IOException {
        final MapOutputIndex index = new MapOutputIndex(2);
        try (SpillSink sink = store.create("file.out", 100);
                SegmentWriter writer =
                        new SegmentWriter(sink, null, BlockChecksums.MIN_BLOCK_LENGTH)) {
            writer.append(RECORD, 0, 5, RECORD, 6, 5);
            index.put(0, writer.endSegment());
            index.put(1, writer.endSegment());
            final Spill spill = sink.commit();
            if (seals) {
                spill.seal(
                        () ->
                                new SharedOutputTail(
                                                OUTPUT,
                                                spill.length(),
                                                index,
                                                writer.blockChecksums(),
                                                writer.recordCounts())
                                        .encoded());
            }
        }
    }

    @Test
    void aSealedOutputIsReadByItsNameAlone() throws IOException {
        try (SpillStore store = store()) {
            write(store, true);
        }
        outputs.requireOwn(JOB, HOST);
        try (SharedOutputFile read = SharedOutputFile.open(file)) {
            final SharedOutputTail tail = read.readTail(OUTPUT);
            assertThat(tail.counts().of(0)).isEqualTo(1);
            final ByteBuffer first = ByteBuffer.allocate(7);
            read.readFully(first, tail.index().get(0).startOffset());
            assertThat(new String(first.array(), 2, 5, StandardCharsets.UTF_8)).isEqualTo("a key");
        }
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(Files.getPosixFilePermissions(outputs.job(JOB)))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void anOutputWithoutItsTailIsNotFinished() throws IOException {
        try (SpillStore store = store()) {
            write(store, false);
            try (SharedOutputFile read = SharedOutputFile.open(file)) {
                assertThatThrownBy(() -> read.readTail(OUTPUT))
                        .isInstanceOf(UnfinishedOutputException.class);
            }
        }
    }

    @Test
    void whatIsAbortedOrDeletedIsGone() throws IOException {
        try (SpillStore store = store()) {
            store.create("file.out", 10).abort();
            assertThat(outputs.host(JOB, HOST)).isEmptyDirectory();
            final SpillSink sink = store.create("file.out", 10);
            sink.write(RECORD);
            sink.commit().delete();
            assertThat(outputs.host(JOB, HOST)).isEmptyDirectory();
        }
    }

    @Test
    void whatReadersMayHaveIsNotWrittenAgain() throws IOException {
        try (SpillStore store = store()) {
            write(store, true);
            final byte[] before = Files.readAllBytes(file);
            assertThatThrownBy(() -> store.create("file.out", 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file + ": length=" + before.length);
            assertThat(file).hasBinaryContent(before);
        }
    }

    @Test
    void aDirectoryWithASetGroupIdBitGivesItsGroupAPart() throws Exception {
        assertThat(
                        new ProcessBuilder("chmod", "2777", directory.toString())
                                .inheritIO()
                                .start()
                                .waitFor())
                .isZero();
        try (SpillStore store = store()) {
            write(store, true);
        }
        final int mode = (Integer) Files.getAttribute(outputs.host(JOB, HOST), "unix:mode");
        assertThat(mode & 02050).as("set-group-id, and its group reads").isEqualTo(02050);
        assertThat(mode & 07).as("others").isZero();
        outputs.requireOwn(JOB, HOST);
    }

    @Test
    void anothersFolderIsNotUsed() throws IOException {
        Files.createDirectories(outputs.host(JOB, HOST));
        Files.setPosixFilePermissions(
                outputs.host(JOB, HOST), PosixFilePermissions.fromString("rwxrwxrwx"));
        try (SpillStore store = store()) {
            assertThatThrownBy(() -> store.create("file.out", 10))
                    .hasMessageContaining(outputs.host(JOB, HOST).toString())
                    .hasMessageContaining("OTHERS_WRITE");
        }
        assertThat(outputs.host(JOB, HOST)).isEmptyDirectory();
    }

    /** Missing, full, or not a directory: the tier after it takes the output. */
    @Test
    void whatItCannotTakeOverflows() throws IOException {
        try (SpillStore store = store()) {
            assertThatThrownBy(() -> store.create("file.out", Long.MAX_VALUE))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("expected to fit " + directory);
        }
        outputs = new SharedOutputs(directory.resolve("missing"));
        try (SpillStore chain =
                        new TieredSpillStore(
                                List.of(store(), new HeapSpillStore("heap", 1 << 20)));
                SpillSink sink = chain.create("file.out", 10)) {
            sink.write(RECORD);
            assertThat(sink.commit().store()).isEqualTo("heap");
        }
    }
}
