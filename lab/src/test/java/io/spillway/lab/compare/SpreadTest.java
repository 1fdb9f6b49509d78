// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void takesTheMiddleOfAnOddNumber() {
        assertThat(Spread.of(List.of(9, 1, 4))).isEqualTo(new Spread(4, 1, 9));
    }

    @Test
    void takesTheMeanOfTheTwoInTheMiddle() {
        assertThat(Spread.of(List.of(8.0, 1.0, 3.0, 4.0))).isEqualTo(new Spread(3.5, 1, 8));
    }

    @Test
    void needsAValue() {
        assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("at least one");
    }
}
