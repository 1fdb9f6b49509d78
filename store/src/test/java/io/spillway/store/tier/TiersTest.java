// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TiersTest {
    /** Nodes and reducers of other releases have the same. */
    @Test
    void hasTheCodesOfTheProtocol() {
        assertThat(Tiers.ofCode(1).label()).isEqualTo("disk");
        assertThat(Tiers.ofCode(2).label()).isEqualTo("memory");
        assertThat(Tiers.ofCode(3).label()).isEqualTo("nvm");
        assertThat(Tiers.ofCode(4).label()).isEqualTo("lustre");
        assertThat(Tiers.ofCode(0)).isSameAs(Tiers.UNKNOWN);
        assertThat(Tiers.ofCode(1_000)).isSameAs(Tiers.UNKNOWN);
        assertThat(Tiers.UNKNOWN.code()).isZero();
    }

    @Test
    void namesAndCodesAreOfOneTierEach() {
        assertThat(Tiers.all()).extracting(Tier::label).doesNotHaveDuplicates();
        assertThat(Tiers.all().stream().filter(Tier::takesOutputs))
                .extracting(Tier::code)
                .doesNotHaveDuplicates();
    }

    @Test
    void knowsTheTierOfANodesFolder() {
        assertThat(Tiers.ofFolder("memory-node-0a1b2c3d").label()).isEqualTo("memory");
        assertThat(Tiers.ofFolder("memory")).isSameAs(Tiers.UNKNOWN);
    }

    @Test
    void namesWhatThereIs() {
        assertThatThrownBy(() -> Tiers.named("tape"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tier=tape")
                .hasMessageContaining("lustre");
    }
}
