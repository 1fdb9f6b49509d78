// SPDX-License-Identifier: Apache-2.0
package io.spillway.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.protocol.ProtocolKeys;
import io.spillway.wire.FrameType;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Two sides agree on the newest version that both speak, and on none where there is none. */
final class VersionRangeTest {
    private static final int MOST = 9;

    @Property
    void bothSidesChooseTheNewestThatBothSpeak(
            @ForAll @IntRange(min = 1, max = MOST) final int a,
            @ForAll @IntRange(min = 1, max = MOST) final int b,
            @ForAll @IntRange(min = 1, max = MOST) final int c,
            @ForAll @IntRange(min = 1, max = MOST) final int d) {
        final VersionRange one = new VersionRange(Math.min(a, b), Math.max(a, b));
        final VersionRange two = new VersionRange(Math.min(c, d), Math.max(c, d));
        final OptionalInt expected =
                IntStream.rangeClosed(1, MOST)
                        .filter(version -> one.contains(version) && two.contains(version))
                        .max();
        assertThat(one.newestCommon(two)).isEqualTo(expected);
        assertThat(two.newestCommon(one)).isEqualTo(expected);
        assertThat(one.contains(one.nearest(c))).isTrue();
        assertThat(one.nearest(a)).isEqualTo(a);
    }

    @Example
    void refusesWhatIsNoRange() {
        assertThatThrownBy(() -> new VersionRange(3, 2))
                .hasMessage("versions=3 to 2, expected 1 to 127");
        assertThatThrownBy(() -> new VersionRange(0, 2)).hasMessageContaining("0 to 2");
        assertThatThrownBy(() -> new VersionRange(1, 128)).hasMessageContaining("1 to 128");
    }

    @Example
    void theSettingAllowsTheVersionsOfThisBuild() {
        assertThat(ProtocolKeys.WIRE_MIN_VERSION.defaultValue())
                .isEqualTo(FrameType.VERSIONS.oldest());
        assertThat(ProtocolKeys.WIRE_MIN_VERSION.get(name -> "14"))
                .isEqualTo(FrameType.VERSIONS.newest());
        assertThatThrownBy(() -> ProtocolKeys.WIRE_MIN_VERSION.get(name -> "15"))
                .hasMessageContaining("spillway.wire.min.version");
        assertThat(FrameType.VERSIONS.from(13)).isEqualTo(new VersionRange(13, 14));
        assertThat(FrameType.VERSIONS).hasToString("12 to 14");
        assertThat(VersionRange.only(13)).hasToString("13");
    }
}
