// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class OpaqueIdTest {
    @Example
    void takesTheNamesOfFrameworks() {
        for (final String id :
                List.of(
                        "job_1700000000000_0001",
                        "attempt_1700000000000_0001_m_000003_0",
                        "app-20240101120000-0007",
                        "shuffle_3_128_0",
                        "vertex.1.2",
                        "x",
                        "9".repeat(OpaqueId.MAX_LENGTH))) {
            assertThat(OpaqueId.isValid(id)).as(id).isTrue();
            assertThat(OpaqueId.require("id", id)).isSameAs(id);
        }
    }

    @Example
    void refusesAllOthers() {
        for (final String id :
                List.of(
                        "",
                        ".",
                        "..",
                        ".hidden",
                        "-option",
                        "_x",
                        "a..b",
                        "a/b",
                        "../a",
                        "a\\b",
                        "a b",
                        "a\n",
                        "a\0",
                        "\u00e4",
                        "a\u0661",
                        "a".repeat(OpaqueId.MAX_LENGTH + 1))) {
            assertThat(OpaqueId.isValid(id)).as(id).isFalse();
            assertThatThrownBy(() -> OpaqueId.require("output", id))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("output=" + id + ", expected " + OpaqueId.EXPECTED);
            assertThatThrownBy(() -> new SegmentId(id, 0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new JobCredentials(id, new byte[] {1}))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withChars("aZ09_-./\\ \u00e4").ofMaxLength(6);
    }

    @Property
    void aNameIsOnePartOfAPath(@ForAll("texts") final String id) {
        if (OpaqueId.isValid(id)) {
            final Path path = Path.of("/folder").resolve(id);
            assertThat(path.getParent()).isEqualTo(Path.of("/folder"));
            assertThat(path.normalize()).isEqualTo(path);
        }
    }
}
