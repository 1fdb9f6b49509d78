// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.mpi.Mpirun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterWorldTest {
    private static final String SOCKET = "spillway.mpi.socket";
    private static final Mpirun MPIRUN = new Mpirun(Path.of("/opt/mpi/bin/mpiexec"), false);
    private static final ClusterSpec SPEC =
            ClusterSpec.defaults()
                    .withNodes(3)
                    .withMemory(new ClusterMemoryNodes(2, 1 << 20))
                    .withMpirun(Mpirun.ANY);

    @TempDir private Path folder;

    private ClusterConf conf(final ClusterSpec spec) {
        return new ClusterConf(ClusterStates.of(spec), folder, List.of("/lib/*"));
    }

    private List<ClusterWorld.Rank> ranks(final ClusterSpec spec) {
        final ClusterConf conf = conf(spec);
        return new ClusterWorld(
                        ClusterStates.of(spec),
                        conf,
                        new ClusterFiles(ClusterStates.of(spec), folder, conf))
                .ranks(MPIRUN);
    }

    @Test
    void allNodeManagersOfThisMachineShareARank() {
        final List<ClusterWorld.Rank> ranks = ranks(SPEC);

        assertThat(ranks)
                .extracting(ClusterWorld.Rank::name)
                .containsExactly("memorynode-0", "memorynode-1", "nodeprocess-0");
        assertThat(ranks).extracting(ClusterWorld.Rank::host).containsOnly("localhost");
        assertThat(ranks)
                .allSatisfy(
                        rank ->
                                assertThat(rank.settings())
                                        .containsEntry("spillway.mpi.world", "launched")
                                        .containsEntry(
                                                "spillway.mpi.compiler", "/opt/mpi/bin/mpicc"));
        assertThat(ranks).extracting(rank -> rank.settings().get(SOCKET)).doesNotHaveDuplicates();
        assertThat(ranks.get(2).settings().keySet()).allMatch(name -> name.startsWith("spillway."));
    }

    @Test
    void tasksComeToTheRankOfTheirNodeManager() {
        assertThat(conf(SPEC).mapred())
                .containsEntry(SOCKET, ranks(SPEC).get(2).settings().get(SOCKET));
        assertThat(ranks(SPEC).get(2).settings())
                .containsEntry(
                        "spillway.node.socket",
                        conf(SPEC).nodeManager(1).get("spillway.node.socket"));
    }

    @Test
    void eachEmulatedHostHasARankUnlessItIsStock() {
        final ClusterSpec spec = SPEC.withEmulatedHosts(3, HostLink.NONE).withStockNodes(1);

        assertThat(ranks(spec))
                .extracting(rank -> rank.name() + "@" + rank.host())
                .containsExactly(
                        "memorynode-0@host4",
                        "memorynode-1@host5",
                        "nodeprocess-1@host2",
                        "nodeprocess-2@host3");
    }

    @Test
    void noNodeManagerStartsANodeProcessBesideTheRanks() {
        final ClusterSpec spec = SPEC.withProperties(Map.of("spillway.node.launch", "true"));

        assertThat(conf(spec).nodeManager(0)).containsEntry("spillway.node.launch", "false");
        assertThat(conf(spec.withMpirun(ClusterSpec.NO_WORLD)).nodeManager(0))
                .containsEntry("spillway.node.launch", "true");
    }

    @Test
    void aLauncherThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> ClusterWorld.mpirun(SPEC.withMpirun("no-such-mpirun")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--mpirun no-such-mpirun");
    }
}
