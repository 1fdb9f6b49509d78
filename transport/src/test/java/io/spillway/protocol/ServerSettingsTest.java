// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerSettingsTest {
    @Test
    void limitsOfPutsAreSettings() {
        final ServerSettings settings =
                ServerSettings.from(
                        Map.of(
                                        "spillway.node.put.requests",
                                        "7",
                                        "spillway.node.put.bytes",
                                        "2m",
                                        "spillway.node.put.memory",
                                        "3m")
                                ::get);
        assertThat(settings.putCredits()).isEqualTo(7);
        assertThat(settings.putBytes()).isEqualTo(2 << 20);
        assertThat(settings.putMemory()).isEqualTo(3 << 20);
    }

    @Test
    void allPutsMayTakeAsMuchAsThoseOfOneClient() {
        final ServerSettings settings =
                ServerSettings.from(Map.of("spillway.node.put.bytes", "1g")::get);
        assertThat(settings.putMemory()).isEqualTo(settings.putBytes()).isEqualTo(1L << 30);
    }

    @Test
    void namesALimitThatIsOutOfRange() {
        assertThatThrownBy(
                        () -> ServerSettings.from(Map.of("spillway.node.put.requests", "0")::get))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.node.put.requests=0")
                .hasMessageContaining("1 to 65536");
    }
}
