// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.doctor.check.ReportText;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts that are files: a script stands for ssh, and prints that of the host it is given. */
class RemoteDoctorTest {
    private static final List<String> DOCTOR = List.of("spillway", "doctor", "--json");

    @TempDir private Path folder;

    private RemoteDoctor doctor(final Duration limit) throws IOException {
        final Path ssh = folder.resolve("ssh");
        Files.writeString(
                ssh,
                """
                #!/bin/sh
                if [ "$2 $3 $4" != "spillway doctor --json" ]; then
                  echo "Welcome to $1"
                  host=$1
                  shift
                  case $host in apart*) exec $(echo "$@" | sed "s#/scratch/#/$host/#g") ;; esac
                  exec "$@"
                fi
                echo "Welcome to $1"
                case $1 in hangs) exec sleep 60 ;; esac
                [ -f "%s/answers/$1" ] && exec cat "%<s/answers/$1"
                echo "ssh: connect to host $1 port 22: Connection refused"
                """
                        .formatted(folder));
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new RemoteDoctor(List.of(ssh.toString()), DOCTOR, limit);
    }

    private RemoteDoctor doctor() throws IOException {
        return doctor(Duration.ofSeconds(30));
    }

    private void answer(final String host, final String jar, final Finding... findings)
            throws IOException {
        answer(host, Map.of("spillway jar", jar), findings);
    }

    private void answer(
            final String host, final Map<String, String> facts, final Finding... findings)
            throws IOException {
        Files.createDirectories(folder.resolve("answers"));
        Files.writeString(
                folder.resolve("answers").resolve(host),
                new DoctorReport(
                                        List.of(new HostFindings(host, facts, List.of(findings))),
                                        List.of())
                                .json()
                        + "\n");
    }

    private static List<String> hundred() {
        return IntStream.range(0, 100).mapToObj(number -> "node" + number).toList();
    }

    @Test
    void aHundredHostsAreHeardWithinTenSeconds() throws IOException {
        for (final String host : hundred()) {
            answer(host, "0.1.0");
        }
        final RemoteDoctor doctor = doctor();
        final long begun = System.nanoTime();

        final DoctorReport report = doctor.examine(hundred());

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        assertThat(report.hosts()).extracting(HostFindings::host).isEqualTo(hundred());
        assertThat(ReportText.of(report)).isEqualTo("100 hosts: healthy\n");
    }

    @Test
    void aHostWithAnotherJarIsFoundAmongAHundred() throws IOException {
        for (final String host : hundred()) {
            answer(host, host.equals("node7") ? "0.0.9" : "0.1.0");
        }

        final DoctorReport report = doctor().examine(hundred());

        assertThat(report.findings()).hasSize(1);
        assertThat(report.findings().get(0).what())
                .contains("spillway jar", "0.0.9 on node7;", "0.1.0 on node0, ", " and 95 more");
    }

    @Test
    void aHostThatCannotBeReachedIsAFinding() throws IOException {
        answer("up", "0.1.0");

        final DoctorReport report = doctor().examine(List.of("up", "down"));

        assertThat(report.count(Severity.ERROR)).isEqualTo(1);
        assertThat(report.hosts().get(1).findings().get(0).what()).contains("Connection refused");
        assertThat(report.findings()).isEmpty();
    }

    private Path sharedBy(final String... hosts) throws IOException {
        final Path scratch = Files.createDirectories(folder.resolve("scratch/spillway"));
        for (final String host : hosts) {
            Files.createDirectories(folder.resolve(host).resolve("spillway"));
            answer(host, Map.of("shared directory", scratch.toString()));
        }
        return scratch;
    }

    @Test
    void aHostWithAnotherFileSystemAtThePathIsFound() throws IOException {
        final Path scratch = sharedBy("n1", "n2", "apart", "n3", "n4", "n5", "apart5");
        final List<String> healthy = List.of("n1", "n2", "n3", "n4", "n5");

        assertThat(doctor().examine(healthy).findings()).isEmpty();
        final DoctorReport blind = doctor().examine(List.of("n1", "n2", "n3", "n4", "apart5"));
        final String cannotSee = " cannot see files just written there by ";
        assertThat(blind.findings())
                .singleElement()
                .extracting(Finding::severity, Finding::what)
                .containsExactly(
                        Severity.ERROR, scratch + ": apart5" + cannotSee + "n1, n2, n3, n4");
        assertThat(doctor().examine(List.of("n1", "apart")).findings())
                .extracting(Finding::what)
                .containsExactly(
                        scratch + ": apart" + cannotSee + "n1",
                        scratch + ": n1" + cannotSee + "apart");
        assertThat(scratch).isEmptyDirectory();
        assertThat(folder.resolve("apart/spillway")).isEmptyDirectory();
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsFound() throws IOException {
        final Path scratch = sharedBy("n1", "n2");
        Files.delete(scratch);

        assertThat(doctor().examine(List.of("n1", "n2")).findings())
                .hasSize(2)
                .allMatch(finding -> finding.check().equals("shared-directory"))
                .allMatch(finding -> finding.what().contains("No such file or directory"));
    }

    @Test
    void anotherDirectoryIsFound() throws IOException {
        answer("n1", Map.of("shared directory", "/scratch/spillway"));
        answer("n2", Map.of("shared directory", "none"));

        assertThat(doctor().examine(List.of("n1", "n2")).findings())
                .singleElement()
                .extracting(Finding::what, Finding::mend)
                .containsExactly(
                        "hosts differ in shared directory: /scratch/spillway on n1; none on n2",
                        "set spillway.store.lustre.dir to the same path everywhere");
    }

    @Test
    void aHostThatHangsHoldsUpNoOther() throws IOException {
        answer("up", "0.1.0", Finding.note("a", "b", "c"));

        final DoctorReport report = doctor(Duration.ofSeconds(2)).examine(List.of("hangs", "up"));

        assertThat(report.hosts().get(0).findings().get(0).severity()).isEqualTo(Severity.ERROR);
        assertThat(report.hosts().get(1).findings()).hasSize(1);
    }

    @Test
    void hostsAreNamedByAListOrAFile() throws IOException {
        final Path file =
                Files.writeString(folder.resolve("hosts"), "# ours\nn1 slots=4\n\nn2\nn1\n");

        assertThat(HostList.parse("n1, n2,n1")).containsExactly("n1", "n2");
        assertThat(HostList.parse(file.toString())).containsExactly("n1", "n2");
        assertThatThrownBy(() -> HostList.parse("n1,-oProxyCommand=x"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("is no name of a host");
        assertThatThrownBy(() -> HostList.parse(",")).hasMessageContaining("no host in it");
    }

    @Test
    void hostsOfAnAllocationAreThoseThatSlurmNames() throws IOException {
        final Path scontrol = folder.resolve("scontrol");
        Files.writeString(scontrol, "#!/bin/sh\n[ \"$3\" = 'n[1-2]' ] && printf 'n1\\nn2\\n'\n");
        Files.setPosixFilePermissions(scontrol, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThat(HostList.ofSlurm(Map.of("SLURM_JOB_NODELIST", "n[1-2]"), scontrol.toString()))
                .containsExactly("n1", "n2");
        assertThatThrownBy(() -> HostList.ofSlurm(Map.of()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("SLURM_JOB_NODELIST is not set");
        assertThat(RemoteDoctor.usual(Map.of("SLURM_JOB_ID", "1"))).startsWith("srun");
        assertThat(RemoteDoctor.usual(Map.of())).startsWith("ssh");
    }
}
