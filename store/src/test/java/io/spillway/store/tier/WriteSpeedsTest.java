// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteSpeedsTest {
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000;

    @TempDir private Path folder;

    @Test
    void averagesWithMoreWeightOnTheNewest() {
        final WriteSpeeds speeds = new WriteSpeeds();
        speeds.wrote("memory", 100 * MIB, SECOND);
        speeds.wrote("memory", 200 * MIB, SECOND);

        assertThat(speeds.of("memory").orElseThrow()).isEqualTo(130.0 * MIB);
        assertThat(speeds.of("disk")).isEmpty();
    }

    @Test
    void ignoresWhatIsTooShortToMeasure() {
        final WriteSpeeds speeds = new WriteSpeeds();
        speeds.wrote("memory", MIB - 1, SECOND);
        speeds.wrote("memory", MIB, 0);

        assertThat(speeds.of("memory")).isEmpty();
    }

    @Test
    void arePassedOnInAFile() throws IOException {
        final WriteSpeeds speeds = new WriteSpeeds();
        speeds.wrote("memory", 100 * MIB, SECOND);
        speeds.writeTo(folder);

        assertThat(WriteSpeeds.readFrom(folder).of("memory")).hasValue(100.0 * MIB);
        assertThat(folder).isDirectoryContaining("glob:**" + WriteSpeeds.FILE);
        assertThat(folder.toFile().list()).hasSize(1);
    }

    /** Two tasks of this number are in two namespaces of processes. */
    @Test
    void takesNoOtherFileThatATaskOfThisNumberIsWriting() throws IOException {
        final Path others =
                Files.writeString(
                        folder.resolve(WriteSpeeds.FILE + "." + ProcessHandle.current().pid()),
                        "memory=");
        final WriteSpeeds speeds = new WriteSpeeds();
        speeds.wrote("memory", 100 * MIB, SECOND);
        speeds.writeTo(folder);

        assertThat(others).hasContent("memory=");
    }

    @Test
    void withoutMeasurementsNoFileIsWritten() throws IOException {
        new WriteSpeeds().writeTo(folder);

        assertThat(folder).isEmptyDirectory();
        assertThat(WriteSpeeds.readFrom(folder).of("memory")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory=fast", "memory=NaN", "memory=-1", "memory=0", "memory="})
    void namesADamagedFile(final String line) throws IOException {
        final Path file = Files.writeString(folder.resolve(WriteSpeeds.FILE), line);

        assertThatThrownBy(() -> WriteSpeeds.readFrom(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(line)
                .hasMessageContaining("expected bytes a second");
    }

    @Test
    void refusesAnEndlessFile() throws IOException {
        Files.writeString(folder.resolve(WriteSpeeds.FILE), "#".repeat(5000));

        assertThatThrownBy(() -> WriteSpeeds.readFrom(folder))
                .hasMessageContaining("length=5000, expected at most 4096");
    }

    @Test
    void whatFormerTasksMeasuredIsAveragedAndPassedOn() throws IOException {
        Files.writeString(folder.resolve(WriteSpeeds.FILE), "memory=1.0E8\ndisk=2.0E7\n");
        final WriteSpeeds speeds = WriteSpeeds.readFrom(folder);
        speeds.writeTo(folder.resolve("nowhere")); // nothing was measured: nothing is written
        speeds.wrote("memory", 200_000_000, SECOND);
        speeds.writeTo(folder);

        final WriteSpeeds next = WriteSpeeds.readFrom(folder);
        assertThat(next.of("memory")).hasValue(0.7 * 1.0E8 + 0.3 * 2.0E8);
        assertThat(next.of("disk")).hasValue(2.0E7);
    }

    @Test
    void theShortestMeasurementCounts() {
        final WriteSpeeds speeds = new WriteSpeeds();
        speeds.wrote("memory", MIB, 1);
        assertThat(speeds.of("memory")).hasValue(MIB * 1e9);
    }

    @Test
    void readsTheLargestFile() throws IOException {
        Files.writeString(folder.resolve(WriteSpeeds.FILE), "#".repeat(4096));
        assertThat(WriteSpeeds.readFrom(folder).of("memory")).isEmpty();
    }

    @Test
    void namesAnEndlessSpeed() throws IOException {
        Files.writeString(folder.resolve(WriteSpeeds.FILE), "memory=Infinity");
        assertThatThrownBy(() -> WriteSpeeds.readFrom(folder))
                .hasMessageContaining("memory=Infinity, expected bytes a second");
    }
}
