// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MpirunTest {
    @TempDir private Path folder;

    private void install(final String name, final String version) throws IOException {
        final Path program = folder.resolve(name);
        Files.writeString(program, "#!/bin/sh\necho '" + version + "'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void takesTheFirstThatIsThereAndItsCompiler() throws Exception {
        install("mpiexec.mpich", "HYDRA build details:");
        final Mpirun mpich = Mpirun.find(Mpirun.ANY, folder.toString());

        assertThat(mpich).isEqualTo(new Mpirun(folder.resolve("mpiexec.mpich"), false));
        assertThat(mpich.compiler()).isEqualTo(folder.resolve("mpicc.mpich").toString());
        assertThat(mpich.ranks(2, List.of("a", "b")).command())
                .containsExactly(mpich.program().toString(), "-n", "2", "a", "b");

        install("mpirun", "mpirun (Open MPI) 4.1.4");
        final Mpirun openMpi = Mpirun.find(Mpirun.ANY, folder.toString());

        assertThat(openMpi.compiler()).isEqualTo(folder.resolve("mpicc").toString());
        assertThat(openMpi.ranks(4, List.of("a")).command()).contains("--oversubscribe", "4");
        assertThat(Mpirun.find("mpiexec.mpich", folder.toString())).isEqualTo(mpich);
        assertThat(Mpirun.find(mpich.program().toString(), null)).isEqualTo(mpich);
    }

    @Test
    void namesTheOptionWhereThereIsNone() {
        assertThatThrownBy(() -> Mpirun.find(Mpirun.ANY, folder.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mpirun.openmpi")
                .hasMessageContaining("--mpirun");
        assertThatThrownBy(() -> Mpirun.find("nosuchmpirun", folder.toString()))
                .hasMessageContaining("nosuchmpirun")
                .hasMessageContaining("--mpirun");
    }

    @Test
    void startsOneRankAHostByAnotherRemoteShell() {
        final List<String> hosts = List.of("host4", "host1");
        final Path shell = Path.of("/run/shell");

        assertThat(new Mpirun(Path.of("/bin/mpirun"), true).line(hosts, shell, List.of("a", "b")))
                .containsSubsequence("/bin/mpirun", "--host", "host4,host1")
                .containsSubsequence("--map-by", "ppr:1:node")
                .containsSubsequence("--mca", "plm_rsh_agent", "/run/shell")
                .endsWith("-n", "2", "a", "b");
        assertThat(new Mpirun(Path.of("/bin/mpiexec"), false).line(hosts, shell, List.of("a")))
                .containsSubsequence("/bin/mpiexec", "-hosts", "host4,host1", "-ppn", "1")
                .containsSubsequence("-launcher-exec", "/run/shell")
                .endsWith("-n", "2", "a");
    }
}
