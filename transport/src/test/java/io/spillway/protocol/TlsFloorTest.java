// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.seal.Protection;
import io.spillway.wire.FrameType;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TlsFloorTest {
    private final Map<String, String> settings = new HashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"authentication", "integrity", "privacy"})
    void portsWithoutTlsArePrivateWhereShufflePortsHaveIt(final String wanted) {
        settings.put("spillway.protection", wanted);
        settings.put("mapreduce.shuffle.ssl.enabled", "true");

        assertThat(ClientSettings.from(settings::get).protection()).isEqualTo(Protection.PRIVACY);
        assertThat(ServerSettings.from(settings::get).protection()).isEqualTo(Protection.PRIVACY);
        assertThat(TlsFloor.raises(settings::get)).isEqualTo(!wanted.equals("privacy"));
    }

    /** Version 12 protects no bytes. */
    @Test
    void theyDoNotSpeakVersion12() {
        settings.put("mapreduce.shuffle.ssl.enabled", "true");

        assertThat(ClientSettings.from(settings::get).versions().oldest()).isEqualTo(13);
        assertThat(ServerSettings.from(settings::get).versions().oldest()).isEqualTo(13);
        settings.put("spillway.wire.min.version", "14");
        assertThat(ClientSettings.from(settings::get).versions().oldest()).isEqualTo(14);
    }

    @Test
    void shufflePortsKeepTheirLevel() {
        settings.put("spillway.protection", "authentication");
        settings.put("mapreduce.shuffle.ssl.enabled", "true");

        final ClientSettings client = ClientSettings.ofShufflePort(settings::get);
        assertThat(client.protection()).isEqualTo(Protection.AUTHENTICATION);
        assertThat(client.versions()).isEqualTo(FrameType.VERSIONS);
        assertThat(ServerSettings.ofShufflePort(settings::get).protection())
                .isEqualTo(Protection.AUTHENTICATION);
    }

    @Test
    void withoutTlsNothingIsRaised() {
        settings.put("spillway.protection", "authentication");
        settings.put("mapreduce.shuffle.ssl.enabled", "false");

        assertThat(ClientSettings.from(settings::get))
                .isEqualTo(ClientSettings.ofShufflePort(settings::get));
        assertThat(TlsFloor.raises(settings::get)).isFalse();
    }
}
