// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostLinkTest {
    @ParameterizedTest
    @CsvSource({
        "none, 0, 0, unshaped",
        "1g, 1000000000, 100, '1 Gbit/s, 100 us'",
        "10G, 10000000000, 20, '10 Gbit/s, 20 us'",
        "ib, 25000000000, 2, '25 Gbit/s, 2 us, tcp in place of InfiniBand'",
        "500mbit, 500000000, 0, 500 Mbit/s",
        "2gbit+50us, 2000000000, 50, '2 Gbit/s, 50 us'"
    })
    void isReadAndDescribed(
            final String text, final long bits, final int micros, final String words) {
        final HostLink link = HostLink.parse(text);

        assertThat(link.bitsPerSecond()).isEqualTo(bits);
        assertThat(link.delayMicros()).isEqualTo(micros);
        assertThat(link.describe()).isEqualTo(words);
        assertThat(link.shaped()).isEqualTo(bits > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "fast", "1", "0mbit", "1gbit+", "1gbit+1ms", "9999999gbit", "1g ;x"})
    void whatItIsNotIsRefused(final String text) {
        assertThatThrownBy(() -> HostLink.parse(text))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--link " + text + ": expected 1g, 10g, ib, none");
    }

    @Test
    void theHostsSideDelaysAndTheBridgesSideOnlyBoundsTheRate() {
        final HostLink link = HostLink.parse("1g");

        assertThat(link.sending())
                .containsExactly(
                        "netem", "delay", "100us", "rate", "1000000000bit", "limit", "4166");
        assertThat(link.rate())
                .containsExactly(
                        "tbf", "rate", "1000000000bit", "burst", "131072", "latency", "50000us");
        assertThat(link.withoutDelay()).isEqualTo("1gbit");
        assertThat(HostLink.parse(link.withoutDelay()).sending()).isEqualTo(link.rate());
    }

    @Test
    void aBurstIsAMillisecondOfTheRateAndNoLessThanAFrame() {
        assertThat(HostLink.parse("25gbit").burstBytes()).isEqualTo(3_125_000);
        assertThat(HostLink.parse("1mbit").burstBytes()).isEqualTo(131_072);
    }
}
