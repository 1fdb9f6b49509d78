// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.cluster.ClusterSpec.FileSystemKind;
import io.spillway.lab.cluster.ClusterSpec.Handler;
import io.spillway.lab.hosts.HostLink;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterConfTest {
    private static final String ADDRESS = "yarn.nodemanager.address";
    private static final String HANDLER = "yarn.nodemanager.aux-services.mapreduce_shuffle.class";

    @TempDir private Path folder;

    private ClusterConf conf(final ClusterSpec spec) {
        return new ClusterConf(ClusterStates.of(spec), folder, List.of("/lib/*"));
    }

    @Test
    void clientsAndTasksSeeNothingOfSpillway() {
        final ClusterConf conf = conf(ClusterSpec.defaults());
        final Map<String, String> all = new TreeMap<>(conf.core());
        all.putAll(conf.hdfs());
        all.putAll(conf.mapred());
        all.putAll(conf.yarn());

        assertThat(all.toString().replace(folder.toString(), "")).doesNotContain("pillway");
    }

    @Test
    void nothingIsKeptWhereAnotherClusterOfTheMachineKeepsIt() {
        final ClusterConf conf = conf(ClusterSpec.defaults());
        final Configuration effective = new JobConf(new YarnConfiguration());
        List.of(conf.core(), conf.mapred(), conf.yarn(), conf.nodeManager(0))
                .forEach(file -> file.forEach(effective::set));

        assertThat(effective)
                .extracting(Map.Entry::getKey)
                // No timeline server is started.
                .filteredOn(key -> !key.startsWith("yarn.timeline-service."))
                .filteredOn(key -> isInSharedTmp(effective.get(key)))
                .isEmpty();
        // Their defaults are in the classes of these stores.
        assertThat(conf.yarn())
                .hasEntrySatisfying(YarnConfiguration.FS_NODE_ATTRIBUTE_STORE_ROOT_DIR, this::isOwn)
                .hasEntrySatisfying(YarnConfiguration.FS_NODE_LABELS_STORE_ROOT_DIR, this::isOwn);
    }

    private void isOwn(final String uri) {
        assertThat(Path.of(URI.create(uri))).startsWithRaw(folder);
    }

    private boolean isInSharedTmp(final String value) {
        return value.replace(folder.toString(), "own").matches("(file:(//)?)?/tmp(/.*)?");
    }

    @Test
    void theFirstNodesMayServeStockOnly() {
        final ClusterConf conf = conf(ClusterSpec.defaults().withNodes(3).withStockNodes(1));

        assertThat(conf.nodeManager(0))
                .containsEntry(HANDLER, "org.apache.hadoop.mapred.ShuffleHandler");
        assertThat(conf.nodeManager(1)).containsEntry(HANDLER, ClusterConf.SPILLWAY_HANDLER);
        assertThat(conf.nodeManager(2)).containsEntry(HANDLER, ClusterConf.SPILLWAY_HANDLER);
        assertThat(conf(ClusterSpec.defaults().withHandler(Handler.STOCK)).nodeManager(1))
                .containsEntry(HANDLER, "org.apache.hadoop.mapred.ShuffleHandler");
    }

    @Test
    void nodesAreOnOneHostUnlessEachIsToHaveItsOwn() {
        final ClusterConf shared = conf(ClusterSpec.defaults());
        final ClusterConf own = conf(ClusterSpec.defaults().withOwnHosts());

        assertThat(shared.nodeManager(1).get(ADDRESS)).startsWith("localhost:");
        assertThat(own.nodeManager(0).get(ADDRESS)).isEqualTo(own.nodeId(0));
        assertThat(own.nodeId(0)).startsWith("127.");
        assertThat(own.nodeId(0).split(":", -1)[0]).isNotEqualTo(own.nodeId(1).split(":", -1)[0]);
        assertThat(own.scheduler()).isNotEqualTo(shared.scheduler());
    }

    @Test
    void emulatedHostsHaveNamesOfTheirOwnAndTheMasterToo() {
        final ClusterSpec spec =
                ClusterSpec.defaults().withEmulatedHosts(3, HostLink.parse("1gbit"));
        final ClusterConf conf = conf(spec);

        assertThat(conf.nodeManager(2).get(ADDRESS)).startsWith("host3:");
        assertThat(conf.nodeManager(0))
                .containsEntry("yarn.nodemanager.hostname", "host1")
                .containsEntry("spillway.node.host", "host1")
                .containsEntry("spillway.ucx.net-devices", "eth0")
                .hasEntrySatisfying(
                        "yarn.nodemanager.localizer.address",
                        address -> assertThat(address).startsWith("host1:"));
        assertThat(conf.yarn().get("yarn.resourcemanager.address")).startsWith("master:");
        assertThat(conf.mapred().get("mapreduce.jobhistory.address")).startsWith("master:");
        assertThat(conf.nodeManager(1).toString()).doesNotContain("localhost");
        assertThat(conf(ClusterSpec.defaults()).transports()).isEmpty();
    }

    @Test
    void aLinkIsOfEmulatedHosts() {
        final HostLink link = HostLink.parse("1g");
        final ClusterSpec spec = ClusterSpec.defaults();

        assertThatThrownBy(() -> spec.withLink(link))
                .isInstanceOf(BadInputException.class)
                .hasMessage("--link 1g: expected --hosts beside it");
        assertThatThrownBy(() -> spec.withEmulatedHosts(0, link))
                .hasMessage("--hosts 0: expected 1 to 64");
        assertThat(spec.withEmulatedHosts(4, HostLink.NONE).withLink(link))
                .isEqualTo(spec.withEmulatedHosts(4, link));
    }

    @Test
    void noTwoDaemonsShareAPort() {
        final ClusterConf conf = conf(ClusterSpec.defaults().withNodes(4));
        final Set<String> seen = new HashSet<>();
        for (int node = 0; node < 4; node++) {
            assertThat(seen.add(conf.nodeManager(node).get(ADDRESS))).isTrue();
            assertThat(seen.add(conf.nodeManagerMapred(node).get("mapreduce.shuffle.port")))
                    .isTrue();
        }
    }

    @Test
    void dataLiesWhereItIsAskedFor() {
        assertThat(conf(ClusterSpec.defaults()).core()).containsEntry("fs.defaultFS", "file:///");
        assertThat(conf(ClusterSpec.defaults().withFileSystem(FileSystemKind.HDFS)).core())
                .hasEntrySatisfying(
                        "fs.defaultFS", fs -> assertThat(fs).startsWith("hdfs://localhost:"));
    }

    @Test
    void givenPropertiesWinInEveryFile() {
        final ClusterConf conf =
                conf(ClusterSpec.defaults().withProperties(Map.of("mapreduce.map.memory.mb", "7")));

        assertThat(conf.mapred()).containsEntry("mapreduce.map.memory.mb", "7");
        assertThat(conf.nodeManager(0)).containsEntry("mapreduce.map.memory.mb", "7");
    }

    @Test
    void twoTasksACoreFitIntoTheNodes() {
        final ClusterSize size = ClusterSize.of(2, 24_000, 2, 0, 1024);

        assertThat(size.slotsPerNode()).isEqualTo(2);
        assertThat(size.containerMb()).isEqualTo(1536);
        assertThat(size.nodeMb()).isEqualTo(2 * 1536 + 1024);
    }

    @Test
    void littleMemoryMeansFewTasksAndTooLittleAClearLine() {
        assertThat(ClusterSize.of(16, 9_000, 2, 0, 1024).slotsPerNode()).isEqualTo(2);
        assertThatThrownBy(() -> ClusterSize.of(2, 4_000, 2, 8, 1024))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("this machine has 4000");
    }

    @Test
    void refusesSpecificationsThatMeanNothing() {
        final ClusterSpec spec = ClusterSpec.defaults();

        assertThatThrownBy(() -> spec.withNodes(0)).hasMessageContaining("--nodes 0");
        assertThatThrownBy(() -> spec.withStockNodes(3)).hasMessageContaining("--stock-nodes 3");
        assertThatThrownBy(() -> spec.withName("../x")).hasMessageContaining("--name ../x");
        assertThatThrownBy(() -> spec.withHeapMb(1)).hasMessageContaining("--heap 1");
    }

    @Test
    void whatIsWrittenDownIsReadBack() throws IOException {
        final ClusterState state =
                ClusterStates.of(
                        ClusterSpec.defaults().withProperties(Map.of("a", "b")).withStockNodes(2));
        state.write(folder);

        assertThat(ClusterState.read(folder)).contains(state);
        final ClusterState kept =
                ClusterStates.of(ClusterSpec.defaults().withEmulatedHosts(2, HostLink.parse("10g")))
                        .withoutOwner();
        kept.write(folder);
        assertThat(ClusterState.read(folder)).contains(kept);
        assertThat(ClusterState.read(folder.resolve("none"))).isEmpty();
    }
}
