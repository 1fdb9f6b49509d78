// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcxSettingsTest {
    @Test
    void everySettingIsRead() {
        final Map<String, String> set =
                Map.of(
                        "spillway.ucx.tls", "tcp,self",
                        "spillway.ucx.net-devices", "eth0",
                        "spillway.ucx.buffer.bytes", "32m",
                        "spillway.ucx.tcp.segment.bytes", "64k",
                        "spillway.ucx.spin.us", "7");

        assertThat(UcxSettings.from(set::get))
                .isEqualTo(new UcxSettings("tcp,self", "eth0", 32 << 20, 64 << 10, 7_000, true));
        assertThat(UcxSettings.ofServer(set::get))
                .isEqualTo(new UcxSettings("tcp,self", "eth0", 32 << 20, 64 << 10, 7_000, false));
    }

    /** Else the key that a client of one job has got stays good when another has the memory. */
    @Test
    void noKeyOutlivesItsRegistrationInAServer() {
        assertThat(UcxConfiguration.options(UcxSettings.ofServer(name -> null)))
                .containsEntry("RCACHE_ENABLE", "n")
                .containsEntry("IB_REG_METHODS", "direct");
        assertThat(UcxConfiguration.options(UcxSettings.from(name -> null)))
                .doesNotContainKeys("RCACHE_ENABLE", "REG_METHODS", "IB_REG_METHODS");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp | true",
                "posix,tcp,self | true",
                "all | true",
                "^posix | true",
                "^tcp | false",
                "^posix,tcp | false",
                "posix,sysv,cma,self | false"
            })
    void socketsAreKnownByTheListOfTransports(final String tls, final boolean expected) {
        final UcxSettings settings = UcxSettings.from(Map.of("spillway.ucx.tls", tls)::get);

        assertThat(UcxConfiguration.mayUseSockets(settings)).isEqualTo(expected);
    }
}
