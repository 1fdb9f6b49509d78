// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpiSettingsTest {
    private static final String LIBRARY = "spillway.mpi.library";
    private static final String COMPILER = "spillway.mpi.compiler";

    @Test
    void compilesWithMpiccWhereNothingIsSet() {
        final MpiSettings expected = new MpiSettings(Optional.empty(), "mpicc", false);
        assertThat(MpiSettings.from(Map.<String, String>of()::get)).isEqualTo(expected);
        assertThat(MpiSettings.from(Map.of(LIBRARY, "auto")::get)).isEqualTo(expected);
    }

    @Test
    void takesALibraryAndACompiler() {
        final Map<String, String> set =
                Map.of(LIBRARY, "/opt/libspillway_mpi.so", COMPILER, "/opt/mpich/bin/mpicc_abi");
        assertThat(MpiSettings.from(set::get).alone())
                .isEqualTo(
                        new MpiSettings(
                                Optional.of("/opt/libspillway_mpi.so"),
                                "/opt/mpich/bin/mpicc_abi",
                                true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bin/mpicc", "mpicc -O2", "$(mpicc)"})
    void refusesWhatIsNoCommand(final String compiler) {
        assertThatThrownBy(() -> MpiSettings.from(Map.of(COMPILER, compiler)::get))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(COMPILER);
    }
}
