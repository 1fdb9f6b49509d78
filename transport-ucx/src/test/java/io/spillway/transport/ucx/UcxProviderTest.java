// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.choice.TransportProvider.Medium;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UcxProviderTest {
    private final UcxProvider provider = new UcxProvider();

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "auto; true; true",
                "tcp; false; false",
                "shm,tcp; true; false",
                "rc,tcp; false; true",
                "rc,shm,tcp; true; true",
                "^rc; true; true"
            })
    void tellsWhichMediaTheSettingLeaves(
            final String tls, final boolean sharedMemory, final boolean rdma) {
        final Map<String, String> settings = Map.of("spillway.ucx.tls", tls);
        assertThat(provider.canUse(Medium.SHARED_MEMORY, settings::get)).isEqualTo(sharedMemory);
        assertThat(provider.canUse(Medium.RDMA, settings::get)).isEqualTo(rdma);
        assertThat(provider.canUse(Medium.WORLD, settings::get)).isFalse();
    }
}
