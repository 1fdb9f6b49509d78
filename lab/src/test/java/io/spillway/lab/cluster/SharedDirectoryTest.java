// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.moosefs.MooseFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedDirectoryTest {
    private static final String LUSTRE_DIR = "spillway.store.lustre.dir";
    private static final String LOCAL_DIRS = "yarn.nodemanager.local-dirs";

    @TempDir private Path folder;

    private ClusterConf conf(final ClusterSpec spec) {
        return new ClusterConf(ClusterStates.of(spec), folder, List.of("/lib/*"));
    }

    private static ClusterSpec emulated(final SharedDirectory directory) {
        return ClusterSpec.defaults()
                .withEmulatedHosts(2, HostLink.NONE)
                .withSharedDirectory(directory);
    }

    @Test
    void allHostsHaveADistributedFileSystemAtOnePath() {
        final ClusterConf conf = conf(emulated(SharedDirectory.DISTRIBUTED));

        assertThat(conf.mapred()).containsEntry(LUSTRE_DIR, folder + "/dfs/mount");
        assertThat(conf.nodeManager(0)).containsEntry(LUSTRE_DIR, folder + "/dfs/mount");
        assertThat(conf.nodeManager(1)).containsEntry(LOCAL_DIRS, folder + "/nodes/1/local");
        assertThat(conf.yarn()).doesNotContainKey(LOCAL_DIRS);
    }

    @Test
    void hostsWithoutADiskHaveTheirLocalDirectoriesOnIt() {
        final ClusterConf conf = conf(emulated(SharedDirectory.DISTRIBUTED.withLocalDirs()));

        assertThat(conf.nodeManager(0))
                .containsEntry(LOCAL_DIRS, folder + "/dfs/mount/nodes/0/local");
        assertThat(conf.yarn()).containsEntry(LOCAL_DIRS, folder + "/dfs/mount/nodes");
        assertThat(conf.nodeManager(0).get("yarn.nodemanager.log-dirs")).doesNotContain("/dfs/");
    }

    @Test
    void anExistingOneIsSharedByClustersWithFoldersOfTheirOwn() {
        final ClusterConf conf =
                conf(ClusterSpec.defaults().withSharedDirectory(SharedDirectory.of("/lustre/tmp")));

        assertThat(conf.mapred()).containsEntry(LUSTRE_DIR, "/lustre/tmp/spillway-cluster-id");
    }

    @Test
    void eachDataServerHasAHostOfItsOwn() {
        final ClusterSpec spec = emulated(SharedDirectory.DISTRIBUTED);

        assertThat(ClusterStates.of(spec).hosts().hosts()).isEqualTo(4);
        assertThat(DistributedFs.daemons(ClusterStates.of(spec)))
                .containsExactly(
                        "dfs-metadata",
                        "dfs-data-0",
                        "dfs-data-1",
                        "dfs-client-master",
                        "dfs-client-host1",
                        "dfs-client-host2");
        assertThatThrownBy(() -> spec.withEmulatedHosts(33, HostLink.NONE))
                .hasMessage("nodes, memory nodes and data servers 66: expected 1 to 64");
    }

    @Test
    void whatMeansNothingIsRefused() {
        final ClusterSpec spec = ClusterSpec.defaults();

        assertThatThrownBy(() -> spec.withSharedDirectory(SharedDirectory.DISTRIBUTED))
                .isInstanceOf(BadInputException.class)
                .hasMessageContainingAll("--shared-fs", "--hosts", "directory");
        assertThatThrownBy(() -> SharedDirectory.of("sort"))
                .hasMessage("--shared-fs sort: expected an absolute path");
        assertThatThrownBy(SharedDirectory.NONE::withLocalDirs)
                .hasMessage("--diskless: expected --shared-fs beside it");
        assertThatThrownBy(() -> MooseFs.require(folder.toString()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContainingAll(
                        "mfsmaster (package moosefs-master)",
                        "mfsmount (package moosefs-client)",
                        "apt-get install -y --no-install-recommends moosefs-master"
                                + " moosefs-chunkserver moosefs-client")
                .hasMessageNotContaining("\n");
    }

    @Test
    void whatIsWrittenDownIsReadBack() throws IOException {
        final ClusterState state =
                ClusterStates.of(emulated(SharedDirectory.of("/lustre").withLocalDirs()));
        state.write(folder);

        assertThat(ClusterState.read(folder)).contains(state);
    }
}
