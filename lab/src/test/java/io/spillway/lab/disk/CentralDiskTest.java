// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.job.CentralDiskJobs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CentralDiskTest {
    private static final int MIB = 1 << 20;

    /** What a writer does not wait for, and what clocks may differ by. */
    private static final long KEPT_BACK_MILLIS = 110;

    @TempDir private Path folder;

    private LocalFileSystem fileSystem(final String rate) throws IOException {
        final Configuration conf = new Configuration();
        CentralDiskJobs.properties(folder, folder.resolve("bench.jar")).forEach(conf::set);
        conf.set(CentralDisk.RATE, rate);
        return (LocalFileSystem) FileSystem.newInstance(URI.create("file:///"), conf);
    }

    private void write(final FileSystem fs, final String name, final byte[] bytes) {
        final org.apache.hadoop.fs.Path path =
                new org.apache.hadoop.fs.Path(folder.resolve(name).toUri());
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(bytes[0]);
            out.write(bytes, 1, bytes.length - 1);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static long millisOf(final Runnable work) {
        final long start = System.nanoTime();
        work.run();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    @Test
    void allWritersOfTaskFilesShareItsRate() throws Exception {
        final byte[] bytes = bytes(2 * MIB);
        try (LocalFileSystem one = fileSystem("8m");
                LocalFileSystem other = fileSystem("8m")) {
            final long millis =
                    millisOf(
                            () -> {
                                final CompletableFuture<Void> first =
                                        CompletableFuture.runAsync(
                                                () -> write(one.getRaw(), "usercache/a", bytes));
                                write(other.getRaw(), "usercache/b", bytes);
                                first.join();
                            });

            assertThat(millis).isGreaterThanOrEqualTo(500 - KEPT_BACK_MILLIS);
        }
        assertThat(Files.readAllBytes(folder.resolve("usercache/a"))).isEqualTo(bytes);
        assertThat(Files.readAllBytes(folder.resolve("usercache/b"))).isEqualTo(bytes);
    }

    @Test
    void otherFilesTakeNoTimeOfIt() throws Exception {
        final byte[] bytes = bytes(MIB);
        try (LocalFileSystem fs = fileSystem("1m")) {
            write(fs.getRaw(), "data/a", bytes);
            final long millis = millisOf(() -> write(fs.getRaw(), "usercache/a", bytes));

            // Two files would be booked one behind the other.
            assertThat(millis).isBetween(1000 - KEPT_BACK_MILLIS, 1900L);
        }
        assertThat(Files.readAllBytes(folder.resolve("data/a"))).isEqualTo(bytes);
    }

    @Test
    void startsAnewWithAClockOfAnEarlierStartOfTheMachine() throws Exception {
        final Path clock = folder.resolve("clock");
        final byte[] future = new byte[Long.BYTES];
        future[Long.BYTES - 1] = 0x7F;
        Files.write(clock, future);
        final DiskClock disk = new DiskClock(clock, 8 * MIB);

        assertThat(
                        millisOf(
                                () -> {
                                    try {
                                        disk.take(4 * MIB);
                                    } catch (final IOException e) {
                                        throw new AssertionError(e);
                                    }
                                }))
                .isBetween(500 - KEPT_BACK_MILLIS, TimeUnit.MINUTES.toMillis(2));
    }

    @Test
    void saysWhatIsWrongWithItsSettings() {
        assertThatThrownBy(() -> fileSystem("10k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(CentralDisk.RATE + "=10240: expected at least 1m, in bytes a second");
        assertThatThrownBy(() -> CentralDiskJobs.rate(Map.of(CentralDisk.RATE, "fast")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(CentralDisk.RATE + "=fast");
        final Configuration conf = new Configuration();
        conf.set("fs.file.impl", CentralDiskFileSystem.class.getName());
        assertThatThrownBy(() -> FileSystem.newInstance(URI.create("file:///"), conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(CentralDisk.CLOCK);
    }

    @Test
    void aComparisonKnowsItsRate() {
        final EngineConfig fast = EngineConfig.parse("central-disk+" + CentralDisk.RATE + "=500m");

        assertThat(fast.centralDiskRate(Map.of())).hasValue(500L * MIB);
        assertThat(
                        EngineConfig.parse("central-disk")
                                .centralDiskRate(Map.of(CentralDisk.RATE, "1g")))
                .hasValue(1024L * MIB);
        assertThat(EngineConfig.parse("stock").centralDiskRate(Map.of())).isEmpty();
    }
}
