package io.spillway.bench.mpi;

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
        final Mpirun mpich = Mpirun.find("", folder.toString());

        assertThat(mpich).isEqualTo(new Mpirun(folder.resolve("mpiexec.mpich"), false));
        assertThat(mpich.compiler()).isEqualTo(folder.resolve("mpicc.mpich").toString());
        assertThat(mpich.ranks(2, List.of("a", "b")).command())
                .containsExactly(mpich.program().toString(), "-n", "2", "a", "b");

        install("mpirun", "mpirun (Open MPI) 4.1.4");
        final Mpirun openMpi = Mpirun.find("", folder.toString());

        assertThat(openMpi.compiler()).isEqualTo(folder.resolve("mpicc").toString());
        assertThat(openMpi.ranks(4, List.of("a")).command()).contains("--oversubscribe", "4");
        assertThat(Mpirun.find("mpiexec.mpich", folder.toString())).isEqualTo(mpich);
        assertThat(Mpirun.find(mpich.program().toString(), null)).isEqualTo(mpich);
    }

    @Test
    void namesTheOptionWhereThereIsNone() {
        assertThatThrownBy(() -> Mpirun.find("", folder.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mpirun.openmpi")
                .hasMessageContaining("--mpirun");
        assertThatThrownBy(() -> Mpirun.find("nosuchmpirun", folder.toString()))
                .hasMessageContaining("nosuchmpirun")
                .hasMessageContaining("--mpirun");
    }
}
