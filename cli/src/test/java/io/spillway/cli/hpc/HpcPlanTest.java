// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HpcPlanTest {
    private static HostFacts host(final int number, final int cores, final long memoryMb) {
        return new HostFacts("h" + number, "10.0.0." + number, cores, memoryMb, Set.of());
    }

    private static List<HostFacts> hosts(final int count) {
        return IntStream.rangeClosed(1, count).mapToObj(number -> host(number, 8, 16_384)).toList();
    }

    private static List<String> names(final List<HostFacts> hosts) {
        return hosts.stream().map(HostFacts::name).toList();
    }

    @Test
    void theFirstHostIsTheMasterAndTheLastOnesHoldOutputs() {
        final HpcPlan plan = HpcPlan.of("7", hosts(5), 2, false);

        assertThat(plan.master().name()).isEqualTo("h1");
        assertThat(names(plan.workers())).containsExactly("h2", "h3");
        assertThat(names(plan.memoryNodes())).containsExactly("h4", "h5");
        assertThat(names(plan.hosts())).containsExactly("h1", "h2", "h3", "h4", "h5");
        assertThat(plan.roles(plan.master()))
                .containsExactly(HostRole.RESOURCE_MANAGER, HostRole.HISTORY_SERVER);
        assertThat(plan.roles(plan.workers().get(0))).containsExactly(HostRole.NODE_MANAGER);
        assertThat(plan.roles(plan.memoryNodes().get(0))).containsExactly(HostRole.MEMORY_NODE);
    }

    @Test
    void withMpiNodeProcessesAreRanksThatTheMasterLaunches() {
        final HpcPlan plan = HpcPlan.of("7", hosts(3), 1, true);

        assertThat(plan.roles(plan.master()))
                .containsExactly(
                        HostRole.RESOURCE_MANAGER, HostRole.HISTORY_SERVER, HostRole.MPI_WORLD);
        assertThat(plan.roles(plan.workers().get(0)))
                .containsExactly(HostRole.NODE_MANAGER, HostRole.RANK);
        assertThat(plan.roles(plan.memoryNodes().get(0))).containsExactly(HostRole.MEMORY_RANK);
    }

    @Test
    void aHostAloneIsAll() {
        final HpcPlan plan = HpcPlan.of("7", hosts(1), 0, false);

        assertThat(plan.hosts()).hasSize(1);
        assertThat(plan.roles(plan.master()))
                .containsExactly(
                        HostRole.RESOURCE_MANAGER, HostRole.HISTORY_SERVER, HostRole.NODE_MANAGER);
    }

    @Test
    void someHostHasToRunTasks() {
        assertThatThrownBy(() -> HpcPlan.of("7", hosts(3), 2, false))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--memory-nodes 2: expected 0 to 1 of 3 hosts");
    }

    @Test
    void takesPortsAtWhichNobodyListens() {
        final List<Integer> first = HpcPlan.of("7", hosts(2), 0, false).ports();
        final HostFacts busy = new HostFacts("h1", "h1", 8, 16_384, Set.copyOf(first));

        assertThat(first).hasSize(9).doesNotHaveDuplicates().isSorted();
        assertThat(HpcPlan.of("7", List.of(busy), 0, false).ports())
                .doesNotContainAnyElementsOf(first);
        assertThat(HpcPlan.of("8", hosts(2), 0, false).ports()).doesNotContainAnyElementsOf(first);
    }

    @Test
    void aContainerForEachCoreAndRoomForTheMasterOnAWorkerAlone() {
        assertThat(HostShare.of(List.of(host(1, 8, 16_384), host(2, 4, 32_768))))
                .isEqualTo(new HostShare(1408, 1536, 22_912, 8));
        assertThat(HostShare.of(List.of(host(1, 64, 16_384))).containerMb()).isEqualTo(1024);
        assertThat(HostShare.of(List.of(host(1, 2, 1024))))
                .isEqualTo(new HostShare(256, 320, 640, 2));
        assertThat(HostShare.of(List.of(host(1, 1, 1 << 20))).containerMb()).isEqualTo(8192);
    }

    @Test
    void readsWhatAHostPrints() {
        assertThat(HostFacts.parse("spillway-host n1 10.1.0.1 16 64000 20001,20002"))
                .contains(new HostFacts("n1", "10.1.0.1", 16, 64_000, Set.of(20_001, 20_002)));
        assertThat(HostFacts.parse("spillway-host n1 n1 16 64000 "))
                .contains(new HostFacts("n1", "n1", 16, 64_000, Set.of()));
        assertThat(HostFacts.parse("srun: a message")).isEmpty();
    }
}
