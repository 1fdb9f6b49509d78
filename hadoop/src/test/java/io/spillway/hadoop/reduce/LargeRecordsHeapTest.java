// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reducers with large records of many maps in a JVM of 64 MiB: a sixteenth of a reducer of 1 GiB
 * with 2,000 maps and records of 500 kB, or with 200 maps and compressed records of 4 MB.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeRecordsHeapTest {
    private static final Pattern FIGURES =
            Pattern.compile("OK budget=(\\d+) peak=(\\d+) disk=(\\d+)");

    @TempDir Path dir;

    private record Figures(long budget, long peak, long disk) {}

    private Figures reduce(
            final int heap,
            final int maps,
            final int records,
            final int keyLength,
            final int valueLength,
            final boolean compressed,
            final Path... file)
            throws IOException, InterruptedException {
        final Path log = dir.resolve("reducer.log");
        final Path local = Files.createDirectory(dir.resolve("local"));
        final List<String> command =
                TestJvm.command(
                        List.of("-Xmx" + heap + "m", "-Xmn8m", "-XX:+ExitOnOutOfMemoryError"),
                        LargeRecordsReducer.class,
                        local.toString(),
                        Integer.toString(maps),
                        Integer.toString(records),
                        Integer.toString(keyLength),
                        Integer.toString(valueLength),
                        Boolean.toString(compressed));
        Stream.of(file).map(Path::toString).forEach(command::add);
        final Process reducer =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertThat(reducer.waitFor(100, TimeUnit.SECONDS)).as("the reducer ends").isTrue();
        } finally {
            reducer.destroyForcibly();
        }
        final String output = Files.readString(log);
        final Matcher figures = FIGURES.matcher(output);
        assertThat(figures.find()).as(output).isTrue();
        assertThat(reducer.exitValue()).isZero();
        try (Stream<Path> left = Files.walk(local)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
        final List<Long> read =
                Stream.of(1, 2, 3).map(i -> Long.parseLong(figures.group(i))).toList();
        return new Figures(read.get(0), read.get(1), read.get(2));
    }

    /** With a head a map in memory this would take 62 MB beside the budget. */
    @Test
    void recordsThatAreLargerThanTheirShareOfTheBudget() throws Exception {
        final Figures figures = reduce(64, 500, 2, 20, 125_000, false);

        assertThat(figures.peak).isLessThanOrEqualTo(figures.budget + figures.budget / 10);
        assertThat(figures.disk).isZero();
    }

    @Test
    void compressedRecordsThatAreLargerThanTheirShareOfTheBudget() throws Exception {
        final Figures figures = reduce(64, 50, 2, 20, 1_000_000, true);

        assertThat(figures.peak).isLessThanOrEqualTo(figures.budget + figures.budget / 10);
        assertThat(figures.disk).isZero();
    }

    /** Keys have to be in memory, all at once or in levels. */
    @Test
    void keysThatAreLargerThanTheirShareOfTheBudget() throws Exception {
        final Figures figures = reduce(64, 400, 2, 150_000, 1000, false);

        assertThat(figures.peak).isLessThanOrEqualTo(figures.budget + figures.budget / 10);
        assertThat(figures.disk).isPositive();
    }

    @Test
    void compressedKeysThatAreLargerThanTheirShareOfTheBudget() throws Exception {
        final Figures figures = reduce(64, 50, 2, 900_000, 1000, true);

        assertThat(figures.disk).isPositive();
    }

    /**
     * A record of a quarter of the heap that is left beside the test's own copy. Stock reads it
     * into an array of twice its size.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordOfTheLargestSizeThatStockTakes(final boolean compressed) throws Exception {
        final Figures figures = reduce(144, 4, 1, 20, 32_000_000, compressed);

        assertThat(figures.disk).isZero();
    }

    /**
     * With this heap the largest that stock's merge takes: an array of twice the value's size, and
     * the reducer's {@code BytesWritable} of half as much again.
     */
    @Test
    void aRecordOfTheLargestSizeThatStockTakesWithTheReducersObject() throws Exception {
        final Figures figures = reduce(144, 4, 1, 20, 37_000_000, false, dir.resolve("segment"));

        assertThat(figures.disk).isZero();
    }
}
