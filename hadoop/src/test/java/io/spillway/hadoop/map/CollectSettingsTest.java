// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.TierPreference;
import io.spillway.hadoop.tier.StoreSettings;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectSettingsTest {
    private final JobConf job = new JobConf(false);

    @Test
    void takesStocksDefaults() throws IOException {
        final CollectSettings settings = CollectSettings.of(job);

        assertThat(settings.spill().sortBytes()).isEqualTo(100 << 20);
        assertThat(settings.spill().partitions()).isEqualTo(1);
        assertThat(settings.spill().minSpillsForCombine()).isEqualTo(3);
        assertThat(settings.stores().spillTiers())
                .extracting(Tier::label)
                .containsExactly("memory", "disk");
        assertThat(settings.stores().outputTiers())
                .extracting(Tier::label)
                .containsExactly("memory", "disk");
        assertThat(settings.stores().alwaysMerges()).isFalse();
    }

    @Test
    void readsItsOwnSettings() throws IOException {
        job.set("spillway.spill.tiers", "heap, disk");
        job.set("spillway.spill.heap.limit", "2m");
        job.set("mapreduce.task.io.sort.mb", "17");

        final CollectSettings settings = CollectSettings.of(job);

        assertThat(settings.stores().spillTiers())
                .extracting(Tier::label)
                .containsExactly("heap", "disk");
        assertThat(settings.spill().sortBytes()).isEqualTo(17 << 20);
    }

    @Test
    void takesStocksLargestSortBuffer() throws IOException {
        job.set("mapreduce.task.io.sort.mb", "2047");
        assertThat(CollectSettings.of(job).spill().sortBytes()).isEqualTo(2047 << 20);
    }

    @Test
    void refusesSpillsThatTheHeapCannotHoldAndNamesWhatFits() {
        final StoreSettings inHeap =
                StoreSettings.of(
                        Map.of(
                                        "spillway.spill.tiers", "heap,disk",
                                        "spillway.spill.heap.limit", "101m")
                                ::get);
        inHeap.requireInHeap(201L << 20, 100L << 20);
        assertThatThrownBy(() -> inHeap.requireInHeap(200L << 20, 100L << 20))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.spill.heap.limit=101m: expected at most 100m: so much of the heap"
                                + " of 200 MiB is left for it");
        final StoreSettings elsewhere =
                StoreSettings.of(Map.of("spillway.spill.heap.limit", "101m")::get);
        elsewhere.requireInHeap(200L << 20, 100L << 20);

        job.set("spillway.spill.tiers", "heap,disk");
        job.set("spillway.spill.heap.limit", "64g");
        assertThatThrownBy(() -> CollectSettings.of(job))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("spillway.spill.heap.limit=64g: expected at most ");
    }

    @Test
    void takesWhatIsAutoFromTheMode() throws IOException {
        job.set("spillway.mode", "rdma-nvm");
        job.set("spillway.output.tiers", "nvm");

        final StoreSettings stores = CollectSettings.of(job).stores();

        assertThat(stores.spillTiers()).extracting(Tier::label).containsExactly("nvm", "disk");
        assertThat(stores.outputTiers()).extracting(Tier::label).containsExactly("nvm");
        assertThat(stores.alwaysMerges()).isTrue();
        assertThat(Tiers.named("nvm").spilled(stores.lookup()))
                .isEqualTo(ShuffleCounter.SPILL_NVM_BYTES);
    }

    @ParameterizedTest
    @CsvSource({
        "auto, auto, true",
        "auto, order, false",
        "rdma, auto, false",
        "rdma, speed, true",
    })
    void selectsTiersAsTheModeOrTheSettingSays(
            final String mode, final String selection, final boolean bySpeed) throws IOException {
        job.set("spillway.mode", mode);
        job.set("spillway.tier.selection", selection);
        job.set("spillway.tier.slow", "3m");

        final StoreSettings stores = CollectSettings.of(job).stores();

        assertThat(stores.tierPreference())
                .isEqualTo(bySpeed ? TierPreference.SPEED : TierPreference.ORDER);
        assertThat(stores.slowBytesPerSecond()).isEqualTo(3 << 20);
    }

    @Test
    void emulatedNvmIsCountedAsSuch() throws IOException {
        job.set("spillway.store.nvm.emulation.write", "2.5");

        final StoreSettings stores = CollectSettings.of(job).stores();

        assertThat(Tiers.named("nvm").spilled(stores.lookup()))
                .isEqualTo(ShuffleCounter.SPILL_EMULATED_NVM_BYTES);
        assertThat(Tiers.named("nvm").written(stores.lookup()))
                .isEqualTo(ShuffleCounter.OUTPUT_EMULATED_NVM_BYTES);
    }

    @Test
    void tellsStagesApartUnlessItIsNotToDoSo() throws IOException {
        assertThat(CollectSettings.of(job).spill().profilesStages()).isTrue();
        job.setBoolean("spillway.report.stages", false);
        assertThat(CollectSettings.of(job).spill().profilesStages()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "mapreduce.task.io.sort.mb, 2048, 'Invalid \"mapreduce.task.io.sort.mb\": 2048'",
        "mapreduce.task.io.sort.mb, -1, 'Invalid \"mapreduce.task.io.sort.mb\": -1'",
        "mapreduce.map.sort.spill.percent, 0, 'Invalid \"mapreduce.map.sort.spill.percent\": 0.0'",
        "mapreduce.map.sort.spill.percent, 1.1, 'Invalid \"mapreduce.map.sort.spill.percent\":"
                + " 1.1'",
        "mapreduce.task.spill.files.count.limit, -2,"
                + " 'Invalid value for \"mapreduce.task.spill.files.count.limit\","
                + " current value: -2'",
    })
    void refusesWhatStockRefusesInItsWords(
            final String name, final String value, final String message) {
        job.set(name, value);

        assertThatThrownBy(() -> CollectSettings.of(job))
                .isInstanceOf(IOException.class)
                .hasMessage(message);
    }

    @Test
    void namesAWrongSettingItsValueAndWhatWasExpected() {
        job.set("spillway.spill.tiers", "heap,tape");

        assertThatThrownBy(() -> CollectSettings.of(job))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith(
                        "spillway.spill.tiers=heap,tape: expected comma-separated list, any of"
                                + " auto, ")
                .hasMessageContaining("heap, memory, nvm, disk, lustre")
                .hasMessageEndingWith(" (default auto)");
    }

    @Test
    void limitsTheNumberOfSpillsInStocksWords() throws IOException {
        job.set("mapreduce.task.spill.files.count.limit", "2");
        final CollectSettings settings = CollectSettings.of(job);

        settings.requireSpills(2);

        assertThatThrownBy(() -> settings.requireSpills(3))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "Too many spill files got created, control it with"
                                + " mapreduce.task.spill.files.count.limit, current value: 2,"
                                + " current spill count: 3");
    }
}
