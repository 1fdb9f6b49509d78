// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UnknownSettingsTest {
    @Test
    void namesTheNearestSetting() {
        assertThat(
                        UnknownSettings.problems(
                                List.of(
                                        "spillway.shuffel.buffer.bytes",
                                        "spillway.mode",
                                        "mapreduce.job.maps",
                                        "spillway.transports")))
                .containsExactly(
                        "spillway.shuffel.buffer.bytes: no such setting; the nearest is"
                                + " spillway.shuffle.buffer.bytes",
                        "spillway.transports: no such setting; the nearest is spillway.transport");
    }

    @Test
    void namesNoneWhereNoneIsNear() {
        assertThat(UnknownSettings.problems(List.of("spillway.something.quite.different")))
                .containsExactly("spillway.something.quite.different: no such setting");
    }

    @Test
    void takesEverySettingThereIs() {
        assertThat(UnknownSettings.problems(Settings.all().stream().map(Setting::name).toList()))
                .isEmpty();
    }

    @Test
    void saysWhatToWriteInPlaceOfASettingThatIsGone() {
        assertThat(UnknownSettings.problems(List.of("spillway.wire.seal")))
                .containsExactly(
                        "spillway.wire.seal: no such setting any more; write"
                                + " spillway.protection=privacy for true, authentication for"
                                + " false");
    }
}
