// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Maps whose records are larger than the sort buffer, each a spill, in a JVM of 48 MiB. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeSpillsHeapTest {
    private static final int RECORDS = 40;
    private static final int LONG = 3_000_000;
    private static final String LONG_KEYS = "long-keys";
    private static final String LONG_VALUES = "long-values";

    @TempDir private Path dir;

    /** The map, in its JVM. */
    static final class LargeSpillsMap {
        private LargeSpillsMap() {}

        public static void main(final String[] arguments) throws Exception {
            final MapFixture fixture = new MapFixture(Path.of(arguments[0]), 1);
            fixture.conf.setInt("mapreduce.task.io.sort.mb", 1);
            fixture.conf.set("spillway.spill.tiers", "disk");
            final MapOutputCollector<Text, Text> collector = fixture.collector(0, () -> {});
            final boolean longKeys = arguments[1].equals(LONG_KEYS);
            final Text value = new Text(longKeys ? new byte[1] : new byte[LONG]);
            for (int i = 0; i < RECORDS; i++) {
                collector.collect(key(i * 7 % RECORDS, longKeys), value, 0);
            }
            collector.flush();
            collector.close();
        }

        private static Text key(final int number, final boolean isLong) {
            final Text key = new Text("key" + number);
            if (isLong) {
                key.append(new byte[LONG], 0, LONG);
            }
            return key;
        }
    }

    @Test
    void aMergeHoldsOneValueAtATime() throws Exception {
        assertMapEnds(LONG_VALUES);
    }

    /** The keys of all spills together are more than the heap. */
    @Test
    void keysThatDoNotFitTheHeapAreMergedInLevels() throws Exception {
        assertMapEnds(LONG_KEYS);
    }

    private void assertMapEnds(final String records) throws Exception {
        final Path log = dir.resolve("map.log");
        final Path local = Files.createDirectory(dir.resolve("local"));
        final Process map =
                new ProcessBuilder(
                                TestJvm.command(
                                        List.of("-Xmx48m", "-XX:+ExitOnOutOfMemoryError"),
                                        LargeSpillsMap.class,
                                        local.toString(),
                                        records))
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertThat(map.waitFor(100, TimeUnit.SECONDS)).as("the map ends").isTrue();
        } finally {
            map.destroyForcibly();
        }

        assertThat(map.exitValue()).as(Files.readString(log)).isZero();
        assertThat(Files.size(new MapFixture(local, 1).lastOutput()))
                .isGreaterThan((long) RECORDS * LONG);
    }
}
