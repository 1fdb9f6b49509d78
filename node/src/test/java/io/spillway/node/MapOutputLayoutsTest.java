// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MapOutputLayoutsTest {
    @Test
    void theLayoutOnTheClassPathIsTaken() throws IOException {
        assertThat(MapOutputLayouts.only()).isInstanceOf(ToyLayout.class);
    }

    @Test
    void noneOrTwoAreRefusedByName() {
        assertThatThrownBy(() -> MapOutputLayouts.only(List.of()))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "layouts of map outputs on the class path: [], expected one, from the"
                                + " Spillway jar of one framework");
        assertThatThrownBy(() -> MapOutputLayouts.only(List.of(new ToyLayout(), new ToyLayout())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("[io.spillway.node.ToyLayout, io.spillway.node.ToyLayout]");
    }
}
