// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.store.SpillStore;
import io.spillway.store.SpillStoreConformance;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.Lease;
import io.spillway.store.shared.SharedOutput;
import io.spillway.store.tier.TaskSite;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A tier that nothing but its registration names is set, opened and bounded as any other. */
class NewTierTest extends SpillStoreConformance {
    @Override
    protected SpillStore newStore() throws IOException {
        return open(Map.of());
    }

    private static SpillStore open(final Map<String, String> settings) throws IOException {
        final List<String> set =
                HadoopKeys.SPILL_TIERS.get(Map.of("spillway.spill.tiers", "array,disk")::get);
        final Tier tier = Tiers.named(set).get(0);
        tier.check(settings::get);
        return tier.own(new NoNode(settings));
    }

    @Test
    void isOpenedWithItsOwnSettings() throws IOException {
        try (SpillStore store = open(Map.of(ArrayTier.LIMIT, "1000"))) {
            assertThat(store.name()).isEqualTo("array");
            assertThatThrownBy(() -> store.create("spill0", 1001))
                    .isInstanceOf(StoreFullException.class);
        }
    }

    @Test
    void takesNoOutputsThatNoNodeServes() {
        assertThatThrownBy(
                        () ->
                                HadoopKeys.OUTPUT_TIERS.get(
                                        Map.of("spillway.output.tiers", "array")::get))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("memory, nvm, disk");
    }

    /** A task in a process of its own: no node, no framework. */
    private record NoNode(Map<String, String> values) implements TaskSite {
        @Override
        public Function<String, String> settings() {
            return values::get;
        }

        @Override
        public Optional<Lease> lease(final Tier tier, final long reserve) {
            return Optional.empty();
        }

        @Override
        public Optional<SharedOutput> output() {
            return Optional.empty();
        }

        @Override
        public boolean serves(final Path sharedDirectory) {
            return false;
        }

        @Override
        public SpillStore localDisk() throws IOException {
            throw new IOException("no local directories here");
        }
    }
}
