// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "64k, 65536",
        "64K, 65536",
        "64kb, 65536",
        "5b, 5",
        "1m, 1048576",
        "2 m, 2097152",
        "3g, 3221225472",
        "1t, 1099511627776",
        "-1k, -1024"
    })
    void parses(final String text, final long bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
        assertThat(Sizes.parse("  " + text + " ")).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "b", "k", "1x", "1.5m", "m1", "1kk", "99999999t", "0x10"})
    void refuses(final String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Property
    void readsWhatItWrites(@ForAll @LongRange(min = 0) final long bytes) {
        assertThat(Sizes.parse(Sizes.format(bytes))).isEqualTo(bytes);
    }

    @Test
    void writesTheLargestUnit() {
        assertThat(Sizes.format(0)).isEqualTo("0");
        assertThat(Sizes.format(1536)).isEqualTo("1536");
        assertThat(Sizes.format(1 << 20)).isEqualTo("1m");
        assertThat(Sizes.format(3L << 40)).isEqualTo("3t");
        assertThat(Sizes.format(1L << 50)).isEqualTo("1024t");
    }
}
