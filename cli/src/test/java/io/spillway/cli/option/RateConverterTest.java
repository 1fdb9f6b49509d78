// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class RateConverterTest {
    @ParameterizedTest
    @CsvSource({
        "500m, 524288000",
        "2g/s, 2147483648",
        "10gbit, 1250000000",
        "2.5Gbit/s, 312500000",
        "8bit, 1",
        "none, 0",
    })
    void readsBytesAndBits(final String text, final double expected) {
        assertThat(new RateConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fast", "0", "-1m", "10gbits", "0gbit", "1.5m"})
    void refusesWhatIsNoRate(final String text) {
        assertThatThrownBy(() -> new RateConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "': expected bytes a second");
    }
}
