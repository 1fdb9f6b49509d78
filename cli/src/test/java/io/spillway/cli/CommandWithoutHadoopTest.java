// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import org.junit.jupiter.api.Test;

/** The command's class path has no Hadoop, and these tests run with that class path. */
class CommandWithoutHadoopTest {
    @Test
    void figuresOfAJobAreReadByName() {
        assertThatThrownBy(() -> Class.forName(FigureCounters.GROUP))
                .isInstanceOf(ClassNotFoundException.class);

        for (final ShuffleCounter figure : ShuffleCounter.values()) {
            assertThat(FigureCounters.figureOf(FigureCounters.nameOf(figure)))
                    .contains(figure.name());
        }
    }
}
