// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClusterSecretTest {
    private static final String TEXT = "q2aTyFzKRw3bB8l4N0mXo1e5uVdJ7cGh";
    private static final byte[] JOB_SECRET = "the job's".getBytes(StandardCharsets.US_ASCII);

    private final SecureRandom random = new SecureRandom();

    @TempDir private Path folder;

    private Path write(final String permissions, final String content) throws IOException {
        final Path file = folder.resolve("secret");
        Files.deleteIfExists(file);
        Files.writeString(file, content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private SealedSecret seal(final ClusterSecret cluster) {
        return SealedSecret.seal(cluster, "job_1_1", "alice", JOB_SECRET, random);
    }

    // ---- the file ------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n", " \n\n"})
    void whiteSpaceAtTheEndDoesNotCount(final String end) throws Exception {
        final ClusterSecret one = ClusterSecret.read(write("rw-------", TEXT));
        final ClusterSecret other = ClusterSecret.read(write("r--------", TEXT + end));
        assertThat(seal(one).open(other, "job_1_1", "alice")).isEqualTo(JOB_SECRET);
        assertThat(one.credentials().secret()).isEqualTo(other.credentials().secret());
    }

    @Test
    void otherBytesAreAnotherSecret() throws IOException {
        final ClusterSecret one = ClusterSecret.read(write("rw-------", TEXT));
        final ClusterSecret other = ClusterSecret.read(write("rw-------", TEXT + "x"));
        assertThat(one.credentials().secret()).isNotEqualTo(other.credentials().secret());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-", "rwx--x---"})
    void refusesAFileThatIsOpenToOthers(final String permissions) throws IOException {
        final Path file = write(permissions, TEXT);
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spillway.placement.secret.file=" + file)
                .hasMessageContaining("expected no permission for group and others")
                .hasMessageContaining("found " + permissions);
    }

    @Test
    void saysHowToMakeAFileThatIsMissing() {
        final Path file = folder.resolve("none");
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "spillway.placement.secret.file=%s: expected a file, found none; a new one"
                                + " is made by head -c 32 /dev/urandom | base64 > %s; chmod 600 %s",
                        file, file, file);
    }

    @Test
    void refusesWhatIsNoRegularFile() throws IOException {
        assertThatThrownBy(() -> ClusterSecret.read(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected a regular file, found a directory");
        final Path link = folder.resolve("link");
        Files.createSymbolicLink(link, write("rw-------", TEXT));
        assertThatThrownBy(() -> ClusterSecret.read(link))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected a regular file, found another");
    }

    @Test
    void refusesTooFewAndTooManyBytes() throws IOException {
        final Path few = write("rw-------", "x".repeat(15) + "\n\n\n");
        assertThatThrownBy(() -> ClusterSecret.read(few))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected 16 to 4096 bytes, found 15");
        final Path many = write("rw-------", "x".repeat(4097));
        assertThatThrownBy(() -> ClusterSecret.read(many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected 16 to 4096 bytes, found more");
        assertThat(ClusterSecret.read(write("rw-------", "x".repeat(4096)))).isNotNull();
        assertThat(ClusterSecret.read(write("rw-------", "x".repeat(16)))).isNotNull();
    }

    @Test
    void noTextShowsIt() throws IOException {
        final ClusterSecret secret = ClusterSecret.read(write("rw-------", TEXT));
        assertThat(secret + " " + seal(secret) + " " + secret.credentials())
                .isEqualTo("ClusterSecret SealedSecret JobCredentials[spillway-cluster]");
    }

    // ---- sealing -------------------------------------------------------------------------------

    private static ClusterSecret clusterOf(final String text) {
        return new ClusterSecret(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void opensForItsJobUserAndClusterOnly() throws AEADBadTagException {
        final ClusterSecret cluster = clusterOf(TEXT);
        final SealedSecret sealed = seal(cluster);
        assertThat(sealed.open(cluster, "job_1_1", "alice")).isEqualTo(JOB_SECRET);
        assertThat(new SealedSecret(sealed.bytes()).open(cluster, "job_1_1", "alice"))
                .isEqualTo(JOB_SECRET);
        assertThatThrownBy(() -> sealed.open(cluster, "job_1_2", "alice"))
                .isInstanceOf(AEADBadTagException.class);
        assertThatThrownBy(() -> sealed.open(cluster, "job_1_1", "bob"))
                .isInstanceOf(AEADBadTagException.class);
        assertThatThrownBy(() -> sealed.open(cluster, "job_1_1a", "lice"))
                .isInstanceOf(AEADBadTagException.class);
        assertThatThrownBy(() -> sealed.open(clusterOf(TEXT + "x"), "job_1_1", "alice"))
                .isInstanceOf(AEADBadTagException.class);
    }

    @Test
    void everyChangedBitIsNoticed() {
        final ClusterSecret cluster = clusterOf(TEXT);
        final byte[] bytes = seal(cluster).bytes();
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            final byte[] changed = bytes.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
            assertThatThrownBy(() -> new SealedSecret(changed).open(cluster, "job_1_1", "alice"))
                    .isInstanceOf(AEADBadTagException.class);
        }
    }

    @Test
    void sealsOfOneSecretDiffer() {
        final ClusterSecret cluster = clusterOf(TEXT);
        assertThat(seal(cluster)).isNotEqualTo(seal(cluster));
    }

    @Test
    void refusesLengthsThatNoSealHas() {
        assertThatThrownBy(() -> new SealedSecret(new byte[28]))
                .hasMessage("length of a sealed secret=28, expected 29 to 4124");
        assertThatThrownBy(() -> new SealedSecret(new byte[4125]))
                .hasMessage("length of a sealed secret=4125, expected 29 to 4124");
        assertThatThrownBy(() -> clusterOf("short"))
                .hasMessage("length of the cluster's secret=5, expected 16 to 4096");
    }
}
