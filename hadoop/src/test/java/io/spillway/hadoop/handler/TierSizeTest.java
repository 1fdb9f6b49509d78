// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Sizes;
import io.spillway.store.tier.StoreKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TierSizeTest {
    private static final long MIB = 1L << 20;
    private static final long LARGE = 1L << 50;

    private final Configuration conf = new Configuration(false);

    private TierSize memory(final long hostMib) {
        return TierSize.ofMemory(StoreKeys.STORE_MEMORY_LIMIT, conf, hostMib * MIB, LARGE);
    }

    /** The least of a quarter of the host and of what containers and the reserve leave. */
    @ParameterizedTest
    @CsvSource({
        "65536, 16384, 1g, 16384",
        "65536, 48128, 1g, 16384",
        "65536, 48129, 1g, 16383",
        "65536, 57344, 1g, 7168",
        "65536, 57344, 4g, 4096",
        "65536, 57344, 0, 8192",
        "65536, 64512, 1g, 0",
        "65536, 64511, 1g, 1",
        "65536, 65536, 1g, 0",
        "65536, 200000, 1g, 0",
        "262144, 235520, 1g, 25600",
    })
    void takesNoMemoryThatYarnHasGivenAway(
            final long hostMib, final String containersMib, final String reserve, final long mib) {
        conf.set(YarnConfiguration.NM_PMEM_MB, containersMib);
        conf.set("spillway.store.memory.reserve", reserve);
        assertThat(memory(hostMib).bytes()).isEqualTo(mib * MIB);
    }

    /** 8 GiB is what YARN gives to containers where nothing is set, whatever the host has. */
    @ParameterizedTest
    @CsvSource({"8192, 0", "10240, 1024", "65536, 16384"})
    void countsOnYarnsDefaultWhereNothingIsSet(final long hostMib, final long mib) {
        assertThat(memory(hostMib).bytes()).isEqualTo(mib * MIB);
        conf.set(YarnConfiguration.NM_PMEM_MB, "-1");
        assertThat(memory(hostMib).bytes()).isEqualTo(mib * MIB);
    }

    @Test
    void followsYarnsDetectionOfTheHardware() {
        conf.setBoolean(YarnConfiguration.NM_ENABLE_HARDWARE_CAPABILITY_DETECTION, true);
        conf.setInt(YarnConfiguration.NM_SYSTEM_RESERVED_PMEM_MB, 512);
        conf.set("spillway.store.memory.reserve", "100m");
        final long containersMib = NodeManagerHardwareUtils.getContainerMemoryMB(conf);
        // YARN keeps 512 MiB of the host; a host with 388 MiB more than that has 800 in all to
        // give.
        final long hostMib = containersMib + 512 + 388;

        assertThat(containersMib).isGreaterThan(2048);
        assertThat(memory(hostMib).bytes()).isEqualTo(800 * MIB);
        assertThat(memory(hostMib).why()).contains(containersMib + " MiB of YARN's containers");
        conf.setInt(YarnConfiguration.NM_PMEM_MB, 1024);
        assertThat(memory(hostMib).bytes()).isEqualTo(hostMib * MIB / 4);
    }

    @Test
    void isNoneWithMemoryCgroupsUnlessItIsSet() {
        conf.setBoolean(YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED, true);
        final TierSize none = memory(65536);
        assertThat(none.bytes()).isZero();
        assertThat(none.why())
                .isEqualTo(
                        "spillway.store.memory.limit=auto: yarn.nodemanager.resource.memory.enabled"
                                + "=true, so the kernel charges the tier's pages to containers");
        conf.set("spillway.store.memory.limit", "3g");
        assertThat(memory(65536).bytes()).isEqualTo(3072 * MIB);
    }

    @Test
    void isNoLargerThanItsFileSystem() {
        conf.set(YarnConfiguration.NM_PMEM_MB, "1024");
        final TierSize size =
                TierSize.ofMemory(StoreKeys.STORE_MEMORY_LIMIT, conf, 65536 * MIB, 64 * MIB);
        assertThat(size.bytes()).isEqualTo(64 * MIB);
        assertThat(size.why()).contains("its file system has no more");
    }

    @Test
    void saysWhatDecidesOnIt() {
        conf.set(YarnConfiguration.NM_PMEM_MB, "16384");
        assertThat(memory(65536).why())
                .isEqualTo("spillway.store.memory.limit=auto: a quarter of the host's 65536 MiB");
        conf.set(YarnConfiguration.NM_PMEM_MB, "57344");
        assertThat(memory(65536).why())
                .isEqualTo(
                        "spillway.store.memory.limit=auto: what the host's 65536 MiB leave beside"
                                + " 57344 MiB of YARN's containers"
                                + " (yarn.nodemanager.resource.memory-mb) and 1024 MiB of"
                                + " spillway.store.memory.reserve");
        conf.set("spillway.store.memory.limit", "0");
        assertThat(memory(65536)).isEqualTo(new TierSize(0, "spillway.store.memory.limit is set"));
    }

    /** What is set counts, also where YARN has given it away: the operator may know better. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "20g", "63g"})
    void isWhatIsSet(final String limit) {
        conf.set(YarnConfiguration.NM_PMEM_MB, "65536");
        conf.set("spillway.store.memory.limit", limit);
        assertThat(memory(65536).bytes()).isEqualTo(Sizes.parse(limit)).isPositive();
    }

    @Test
    void refusesMoreThanTheHostHasAndNamesWhatFits() {
        conf.set("spillway.store.memory.limit", "64g");
        assertThatThrownBy(() -> memory(65536))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.store.memory.limit=64g: expected at most 63g: the host has 65536"
                                + " MiB of memory, and 1024 MiB of it are"
                                + " spillway.store.memory.reserve");
        conf.set("spillway.store.memory.limit", "63g");
        assertThat(memory(65536).bytes()).isEqualTo(64512 * MIB);
    }

    @Test
    void refusesMoreThanTheFileSystemHasAndNamesWhatFits() {
        conf.set("spillway.store.memory.limit", "2g");
        assertThatThrownBy(
                        () ->
                                TierSize.ofMemory(
                                        StoreKeys.STORE_MEMORY_LIMIT,
                                        conf,
                                        65536 * MIB,
                                        1024 * MIB))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.store.memory.limit=2g: expected at most 1g: the file system of"
                                + " its directory has 1024 MiB");
        conf.set("spillway.store.nvm.limit", "3g");
        assertThatThrownBy(() -> TierSize.ofMount(StoreKeys.STORE_NVM_LIMIT, conf, 2048 * MIB))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.store.nvm.limit=3g: expected at most 2g: the file system of its"
                                + " directory has 2048 MiB");
    }

    @Test
    void theNvmTierTakesAllOfItsMountByDefault() {
        assertThat(TierSize.ofMount(StoreKeys.STORE_NVM_LIMIT, conf, MIB).bytes())
                .isEqualTo(Long.MAX_VALUE);
        conf.set("spillway.store.nvm.limit", "0");
        assertThat(TierSize.ofMount(StoreKeys.STORE_NVM_LIMIT, conf, MIB).bytes()).isZero();
    }
}
