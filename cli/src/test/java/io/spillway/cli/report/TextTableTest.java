// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsNumbersRightAndTextLeft() {
        final String table =
                new TextTable("", "stock", "note")
                        .row("wall", "128.5", "slow")
                        .row("CPU of maps", "9.1", "")
                        .render();

        assertThat(table)
                .isEqualTo(
                        """
                                     stock  note
                        -----------  -----  ----
                        wall         128.5  slow
                        CPU of maps    9.1
                        """);
    }

    @Test
    void refusesARowOfAnotherLength() {
        assertThatThrownBy(() -> new TextTable("a", "b").row("1"))
                .hasMessageContaining("cells=1: expected 2");
    }
}
