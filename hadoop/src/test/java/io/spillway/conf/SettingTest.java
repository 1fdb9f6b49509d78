// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.node.NodeKeys;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.store.tier.StoreKeys;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.tcp.TcpKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SettingTest {
    private static <T> T read(final Setting<T> setting, final String text) {
        return setting.get(text == null ? name -> null : Map.of(setting.name(), text)::get);
    }

    static List<Setting<?>> all() {
        return Settings.all();
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
        assertThat(Settings.all().stream().map(Setting::name)).doesNotHaveDuplicates();
    }

    @Test
    void namesSettingValueAndRangeWhenItRefuses() {
        assertThatThrownBy(() -> read(ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "0"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.shuffle.requests.inflight=0:"
                                + " expected integer, 1 to 1024 (default 16)");
        assertThatThrownBy(() -> read(EngineKeys.SHUFFLE_WINDOW_MAX, "1g"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.shuffle.window.max=1g")
                .hasMessageContaining("4k to 16m");
    }

    @Test
    void refusesWhatIsNotOfItsType() {
        assertThatThrownBy(() -> read(EngineKeys.SORT_PREFIX, "yes"))
                .isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> read(ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "many"))
                .isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> read(ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT, "4294967297"))
                .isInstanceOf(InvalidSettingException.class);
        for (final String fraction : List.of("0", "0.81", "-0.5", "NaN", "half")) {
            assertThatThrownBy(() -> read(EngineKeys.SHUFFLE_BUFFER_PERCENT, fraction))
                    .isInstanceOf(InvalidSettingException.class);
        }
        for (final String tiers : List.of("disk,disk", "tape", "memory,,disk", ",", "auto,disk")) {
            assertThatThrownBy(() -> read(HadoopKeys.SPILL_TIERS, tiers))
                    .isInstanceOf(InvalidSettingException.class);
        }
    }

    @Test
    void readsValues() {
        assertThat(read(EngineKeys.SORT_PREFIX, " False ")).isFalse();
        assertThat(read(HadoopKeys.SPILL_TIERS, "Memory , disk")).containsExactly("memory", "disk");
        assertThat(read(StoreKeys.SPILL_HEAP_LIMIT, "1g")).isEqualTo(1L << 30);
        assertThat(read(EngineKeys.SHUFFLE_BUFFER_PERCENT, "0.8")).isEqualTo(0.8);
        assertThat(read(CommonKeys.MODE, "RDMA-nvm")).isEqualTo(Mode.RDMA_NVM);
        assertThat(read(HadoopKeys.SPILL_MERGE, "Always")).contains(SpillMerging.ALWAYS);
        assertThat(read(StoreKeys.NVM_EMULATION_WRITE, "2.5")).isEqualTo(2.5);
        assertThat(read(MpiKeys.MPI_WORLD, "Launched")).isEqualTo(MpiStart.LAUNCHED);
        assertThat(read(MpiKeys.MPI_COMPILER, "/opt/mpi/bin/mpicc"))
                .isEqualTo("/opt/mpi/bin/mpicc");
    }

    @Test
    void refusesModesNumbersAndPathsThatAreNone() {
        assertThatThrownBy(() -> read(CommonKeys.MODE, "warp"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.mode=warp: expected choice, one of auto, rdma, rdma-nvm, hadoop-a"
                                + " (default auto)");
        assertThatThrownBy(() -> read(HadoopKeys.SPILL_MERGE, "seldom"))
                .isInstanceOf(InvalidSettingException.class);
        for (final String factor : List.of("-1", "1001", "NaN", "ten")) {
            assertThatThrownBy(() -> read(StoreKeys.NVM_EMULATION_WRITE, factor))
                    .isInstanceOf(InvalidSettingException.class);
        }
        assertThatThrownBy(() -> read(StoreKeys.STORE_MEMORY_DIR, "shm"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("auto or none or an absolute path");
    }

    @Test
    void readsDirectories() {
        assertThat(StoreKeys.memoryDirectory(name -> null)).contains(Path.of("/dev/shm"));
        assertThat(StoreKeys.memoryDirectory(name -> "/mnt/ram")).contains(Path.of("/mnt/ram"));
        assertThat(StoreKeys.memoryDirectory(name -> "none")).isEmpty();
        assertThat(read(StoreKeys.STORE_MEMORY_DIR, null).path()).isEmpty();
        assertThat(read(StoreKeys.STORE_NVM_DIR, "None")).isEqualTo(Location.NONE);
        assertThat(read(CommonKeys.NODE_SOCKET, "/x/y").path()).contains(Path.of("/x/y"));
    }

    @Test
    void readsTheWordsForNoneAndForTheDefault() {
        assertThat(read(StoreKeys.STORE_MEMORY_LIMIT, "AUTO")).isEmpty();
        assertThat(read(StoreKeys.STORE_MEMORY_LIMIT, "0")).contains(0L);
        assertThat(read(EngineKeys.SHUFFLE_BUFFER_BYTES, "auto")).isEmpty();
        assertThat(read(EngineKeys.SHUFFLE_HEDGE, "none")).isEmpty();
        assertThat(read(EngineKeys.SHUFFLE_WATCHDOG, "5")).contains(5L);
        assertThat(read(EngineKeys.SHUFFLE_MERGE_FACTOR, "none")).isEmpty();
        assertThat(read(EngineKeys.SHUFFLE_COMBINE, "auto")).isEmpty();
        assertThat(read(ProtocolKeys.SHUFFLE_PREFETCH, "False")).contains(false);
        assertThat(read(TcpKeys.NODE_TCP_PORT, "auto")).isEmpty();
        assertThat(read(NodeKeys.NODE_HTTP_PORT, "none")).isEmpty();
        assertThat(read(NodeKeys.NODE_HOST, "::1")).contains("::1");
    }

    /** Spellings of none and of the default that other programs have. */
    @ParameterizedTest
    @CsvSource({
        "spillway.store.memory.dir, -, 'path, auto or none or an absolute path (default auto)'",
        "spillway.store.nvm.dir, auto, 'path, none or an absolute path (default none)'",
        "spillway.store.memory.limit, none, 'bytes, auto, or 0 to 64t (default auto)'",
        "spillway.store.memory.limit, -1, 'bytes, auto, or 0 to 64t (default auto)'",
        "spillway.shuffle.buffer.bytes, 0, 'bytes, auto, or 1k to 64g (default auto)'",
        "spillway.shuffle.combine, on, 'boolean, auto, or true or false (default auto)'",
        "spillway.shuffle.prefetch, off, 'boolean, auto, or true or false (default auto)'",
        "spillway.shuffle.merge.factor, 0, 'integer, none, or 2 to 100000 (default 64)'",
        "spillway.shuffle.hedge.ms, 0, 'milliseconds, none, or 1 to 600000 (default 3000)'",
        "spillway.shuffle.watchdog.ms, 0, 'milliseconds, none, or 1 to 3600000 (default 120000)'",
        "spillway.node.tcp.port, 0, 'integer, auto, or 1 to 65535 (default auto)'",
        "spillway.node.ucx.port, none, 'integer, auto, or 1 to 65535 (default auto)'",
        "spillway.node.http.port, 0, 'integer, none, or 1 to 65535 (default 13580)'",
        "spillway.node.host, -, 'text, auto, or a host name or address (default auto)'",
        "spillway.node.log, -, 'path, none or an absolute path (default none)'",
        "spillway.ucx.net-devices, -, 'text, auto, or devices as UCX_NET_DEVICES takes them"
                + " (default auto)'",
        "spillway.mpi.library, none, 'path, auto or an absolute path (default auto)'",
        "spillway.mpi.compiler, mpicc -g, 'text, a command on the PATH or an absolute path (default"
                + " mpicc)'",
        "spillway.mpi.world, auto, 'choice, one of none, launched, self (default none)'",
        "spillway.mpi.task.bytes, 512k, 'bytes, 1m to 1g (default 16m)'",
        "spillway.mpi.tasks, 0, 'integer, 1 to 4096 (default 128)'",
    })
    void hasOneSpellingOfEach(final String name, final String value, final String expected) {
        assertThatThrownBy(() -> Settings.validate(Map.of(name, value)::get))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(name + "=" + value + ": expected " + expected);
    }

    @ParameterizedTest
    @MethodSource("all")
    void standsInTheTableOfThoseWhoChangeIt(final Setting<?> setting) {
        final String title =
                switch (setting.audience()) {
                    case SITE -> "## For a site";
                    case JOB -> "## For a job";
                    case EXPERIMENT -> "## For experiments";
                };
        final String table =
                ConfigurationDoc.render().split(title + "\n", 2)[1].split("\n## ", -1)[0];
        assertThat(table.lines().filter(line -> line.startsWith("| `" + setting.name() + "` |")))
                .singleElement()
                .asString()
                .contains(setting.readers().get(0).label());
        assertThat(setting.readers()).doesNotHaveDuplicates();
    }

    /** A setting of a job that only daemons read could not be given with -D. */
    @ParameterizedTest
    @MethodSource("all")
    void aJobsSettingIsReadByItsTasks(final Setting<?> setting) {
        if (setting.audience() == Setting.Audience.JOB) {
            assertThat(setting.readers()).anyMatch(reader -> !reader.isDaemon());
        }
    }
}
