package io.spillway.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SettingTest {
    private static <T> T read(final Setting<T> setting, final String text) {
        return setting.get(text == null ? name -> null : Map.of(setting.name(), text)::get);
    }

    static List<Setting<?>> all() {
        return SpillwayKeys.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void givesItsDefaultWhereNothingIsSet(final Setting<?> setting) {
        assertThat(read(setting, null)).isEqualTo(setting.defaultValue());
        assertThat(read(setting, "  ")).isEqualTo(setting.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("all")
    void readsItsDefaultAsWritten(final Setting<?> setting) {
        assertThat(read(setting, setting.defaultText())).isEqualTo(setting.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("all")
    void isDocumented(final Setting<?> setting) {
        assertThat(setting.name()).startsWith("spillway.");
        assertThat(setting.doc()).endsWith(".").doesNotContain("\n").doesNotContain("|");
        assertThat(setting.range()).isNotBlank();
        assertThat(ConfigurationDoc.render()).contains("| `" + setting.name() + "` |");
        assertThat(setting).hasToString(setting.name());
    }

    @Test
    void hasEachNameOnce() {
        assertThat(SpillwayKeys.all().stream().map(Setting::name)).doesNotHaveDuplicates();
    }

    @Test
    void namesSettingValueAndRangeWhenItRefuses() {
        assertThatThrownBy(() -> read(SpillwayKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "0"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.shuffle.requests.inflight=0:"
                                + " expected integer, 1 to 1024 (default 16)");
        assertThatThrownBy(() -> read(SpillwayKeys.SHUFFLE_WINDOW_MAX, "1g"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.shuffle.window.max=1g")
                .hasMessageContaining("4k to 16m");
    }

    @Test
    void refusesWhatIsNotOfItsType() {
        assertThatThrownBy(() -> read(SpillwayKeys.SORT_PREFIX, "yes"))
                .isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> read(SpillwayKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "many"))
                .isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> read(SpillwayKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "4294967297"))
                .isInstanceOf(InvalidSettingException.class);
        for (final String fraction : List.of("0", "1.01", "-0.5", "NaN", "half")) {
            assertThatThrownBy(() -> read(SpillwayKeys.SHUFFLE_BUFFER_PERCENT, fraction))
                    .isInstanceOf(InvalidSettingException.class);
        }
        for (final String tiers : List.of("disk,disk", "tape", "memory,,disk", ",", "auto,disk")) {
            assertThatThrownBy(() -> read(SpillwayKeys.SPILL_TIERS, tiers))
                    .isInstanceOf(InvalidSettingException.class);
        }
    }

    @Test
    void readsValues() {
        assertThat(read(SpillwayKeys.SORT_PREFIX, " False ")).isFalse();
        assertThat(read(SpillwayKeys.SPILL_TIERS, "Memory , disk"))
                .containsExactly("memory", "disk");
        assertThat(read(SpillwayKeys.SPILL_HEAP_LIMIT, "1g")).isEqualTo(1L << 30);
        assertThat(read(SpillwayKeys.SHUFFLE_BUFFER_PERCENT, "1")).isEqualTo(1.0);
        assertThat(read(SpillwayKeys.MODE, "RDMA-nvm")).isEqualTo(Mode.RDMA_NVM);
        assertThat(read(SpillwayKeys.SPILL_MERGE, "Always")).isEqualTo("always");
        assertThat(read(SpillwayKeys.NVM_EMULATION_WRITE, "2.5")).isEqualTo(2.5);
    }

    @Test
    void refusesModesNumbersAndPathsThatAreNone() {
        assertThatThrownBy(() -> read(SpillwayKeys.MODE, "warp"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.mode=warp: expected choice, one of auto, rdma, rdma-nvm, hadoop-a"
                                + " (default auto)");
        assertThatThrownBy(() -> read(SpillwayKeys.SPILL_MERGE, "seldom"))
                .isInstanceOf(InvalidSettingException.class);
        for (final String factor : List.of("-1", "1001", "NaN", "ten")) {
            assertThatThrownBy(() -> read(SpillwayKeys.NVM_EMULATION_WRITE, factor))
                    .isInstanceOf(InvalidSettingException.class);
        }
        assertThatThrownBy(() -> read(SpillwayKeys.STORE_MEMORY_DIR, "shm"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("an absolute path, or -");
    }

    @Test
    void readsDirectories() {
        assertThat(SpillwayKeys.directory(SpillwayKeys.STORE_MEMORY_DIR, name -> null))
                .contains(Path.of("/dev/shm"));
        assertThat(SpillwayKeys.directory(SpillwayKeys.STORE_MEMORY_DIR, name -> "-")).isEmpty();
    }
}
