// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MapOutputRunsTest {
    private static byte[] encoded(final int count) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        new MapOutputRuns(count).writeTo(out);
        return out.toByteArray();
    }

    private static MapOutputRuns read(final byte[] bytes) throws IOException {
        return MapOutputRuns.readFrom(ByteBuffer.wrap(bytes), "/a/file.out.runs");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, MapOutputRuns.MAX_COUNT})
    void readsWhatItWrote(final int count) throws IOException {
        assertThat(encoded(count)).hasSize(MapOutputRuns.LENGTH);
        assertThat(read(encoded(count)).count()).isEqualTo(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, MapOutputRuns.MAX_COUNT + 1})
    void refusesACountOutOfBounds(final int count) throws IOException {
        assertThatThrownBy(() -> new MapOutputRuns(count))
                .isInstanceOf(IndexOutOfBoundsException.class);
        final byte[] bytes = encoded(1);
        ByteBuffer.wrap(bytes).putInt(MapOutputRuns.COUNT_OFFSET, count);
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/a/file.out.runs")
                .hasMessageContaining("count=" + count)
                .hasMessageContaining("1 to 1024");
    }

    @Test
    void refusesWhatIsNoSuchFile() throws IOException {
        assertThatThrownBy(() -> read(new byte[3])).hasMessageContaining("length=3, expected 12");
        final byte[] bytes = encoded(1);
        bytes[0]++;
        assertThatThrownBy(() -> read(bytes)).hasMessageContaining("magic=");
    }
}
