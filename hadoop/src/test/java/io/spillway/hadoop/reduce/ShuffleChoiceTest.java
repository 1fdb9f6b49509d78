// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.job.RunsPerMap;
import io.spillway.hadoop.job.SpillwayReducers;
import io.spillway.sort.KeyOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShuffleChoiceTest {
    private static final long HEAP = 256 << 20;

    @TempDir Path dir;

    private String reason(final ReduceFixture task) throws IOException {
        return ShuffleChoice.of(task.context(), HEAP).stockReason();
    }

    @Test
    void usesSpillwayByDefault() throws IOException {
        final ReduceFixture task = new ReduceFixture(100, dir);
        final ShuffleSettings settings = ShuffleChoice.of(task.context(), HEAP).settings().shuffle;

        assertThat(settings.budgetBytes).isEqualTo(4 << 20);
        assertThat(settings.chunkSize).isEqualTo(16 << 10);
        assertThat(settings.chunks).isEqualTo(240);
        assertThat(settings.headBytes).isEqualTo(256 << 10);
    }

    @Test
    void theBudgetIsAFractionOfTheHeapWhereItIsNotSet() throws IOException {
        final ReduceFixture task = new ReduceFixture(2, dir);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "auto");
        final ShuffleSettings settings = ShuffleChoice.of(task.context(), HEAP).settings().shuffle;

        assertThat(settings.budgetBytes).isEqualTo((long) (HEAP * 0.35));
        assertThat(settings.chunkSize).isEqualTo(256 << 10);
    }

    @ParameterizedTest
    @CsvSource({"true, PARTIAL", "false, NONE"})
    void theMergeUsesPrefixesUnlessTheyAreSwitchedOff(
            final String prefix, final KeyOrder.Strength expected) throws IOException {
        final ReduceFixture task = new ReduceFixture(2, dir);
        task.set(EngineKeys.SORT_PREFIX.name(), prefix);
        final JobSettings settings = ShuffleChoice.of(task.context(), HEAP).settings();

        assertThat(settings.keyOrder().strength()).isEqualTo(expected);
    }

    @Test
    void localMapOutputsAreForTheStockShuffle() throws IOException {
        final ReduceFixture task = new ReduceFixture(1, dir);
        task.localMapFiles = Map.of();

        assertThat(reason(task)).contains("local files");
    }

    @Test
    void aTaskWithoutSecretUsesTheStockShuffle() throws IOException {
        final ReduceFixture task = new ReduceFixture(1, dir);
        task.task.setShuffleSecret(null);

        assertThat(reason(task)).contains("no shuffle secret");
    }

    @Test
    void settingsChooseTheStockShuffle() throws IOException {
        assertThat(reason(with(HadoopKeys.SHUFFLE_ENABLED.name(), "false")))
                .isEqualTo("spillway.shuffle.enabled=false");
        final ReduceFixture encrypted = with(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, "true");
        encrypted.set("hadoop.security.crypto.cipher.suite", "SM4/CTR/NoPadding");
        assertThat(reason(encrypted))
                .isEqualTo(
                        "mapreduce.job.encrypted-intermediate-data=true with"
                                + " hadoop.security.crypto.cipher.suite=SM4/CTR/NoPadding,"
                                + " expected AES/CTR/NoPadding");
    }

    private ReduceFixture with(final String name, final String value) {
        return new ReduceFixture(1, dir).set(name, value);
    }

    @Test
    void aWrongSettingIsNamed() throws IOException {
        assertThat(reason(with(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "many")))
                .contains("spillway.shuffle.window.min")
                .contains("many");
    }

    @Test
    void aBufferTooSmallForTheMapsIsNamed() throws IOException {
        final ReduceFixture task = new ReduceFixture(1000, dir);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "7m");

        assertThat(reason(task)).contains("7340032").contains("1000 maps");
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "8m");
        assertThat(reason(task)).isNull();
    }

    @Test
    void aBufferLargerThanTheHeapBearsIsCut() throws IOException {
        final ReduceFixture task = with(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "255m");
        assertThat(ShuffleChoice.of(task.context(), HEAP).settings().shuffle.budgetBytes)
                .isEqualTo((long) (HEAP * 0.8));
    }

    /** By the configuration alone: maps, which decide on runs, come to the same end. */
    @Test
    void aBufferLargerThanTheConfiguredHeapBearsIsRefusedWithWhatWouldFit() throws IOException {
        final ReduceFixture task = with(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx1000m");
        task.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle")
                .set(HadoopKeys.SPILL_MERGE.name(), "never");
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "801m");
        assertThat(reason(task))
                .isEqualTo(
                        "spillway.shuffle.buffer.bytes=801m: expected at most 800m: 0.8 of a"
                                + " reducer's heap of 1000 MiB (mapreduce.reduce.java.opts)");
        assertThat(RunsPerMap.of(task.conf).most()).isEqualTo(1);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "800m");
        assertThat(reason(task)).isNull();
        assertThat(RunsPerMap.of(task.conf).most()).isEqualTo(8);
    }

    /** Maps have left runs by the heap that the job's configuration promised. */
    @Test
    void aHeapThatIsSmallerThanPlannedShrinksTheWindowsOfRuns() throws IOException {
        final ReduceFixture task =
                new ReduceFixture(100, dir)
                        .set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle")
                        .set(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx8g")
                        .set(HadoopKeys.SPILL_MERGE.name(), "never")
                        .set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "2g")
                        .set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "1m");
        final ShuffleChoice choice = ShuffleChoice.of(task.context(), HEAP);

        assertThat(choice.stockReason()).isNull();
        assertThat(choice.settings().shuffle.runsPerMap).isEqualTo(8);
        assertThat(choice.settings().shuffle.chunkSize).isEqualTo(128 << 10);
        assertThat(choice.settings().shuffle.budgetBytes).isEqualTo((long) (HEAP * 0.8));
    }

    /** What a map leaves for reducers of Spillway only, each of them can read, by all it finds. */
    @Test
    void mapsAreSureOfReducersThatDoNotFallBack() throws IOException {
        final Random random = new Random(5);
        final List<CompressionCodec> codecs =
                List.of(
                        new SnappyCodec(),
                        new ZStandardCodec(),
                        new BZip2Codec(),
                        new DefaultCodec());
        int sure = 0;
        for (int draw = 0; draw < 2000; draw++) {
            final ReduceFixture task =
                    new ReduceFixture(1 << random.nextInt(18), dir)
                            .set(
                                    MRConfig.SHUFFLE_CONSUMER_PLUGIN,
                                    "io.spillway.hadoop.SpillwayShuffle")
                            .set(HadoopKeys.PLACEMENT.name(), "every-node");
            task.conf.unset(EngineKeys.SHUFFLE_BUFFER_BYTES.name());
            final int megabytes = 200 << random.nextInt(5);
            if (random.nextBoolean()) {
                task.set(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx" + megabytes + "m");
            } else {
                task.set(MRJobConfig.REDUCE_MEMORY_MB, Integer.toString(megabytes * 10 / 8));
            }
            if (random.nextBoolean()) {
                task.codec = codecs.get(random.nextInt(codecs.size()));
                task.conf.setMapOutputCompressorClass(task.codec.getClass());
            }
            // A JVM has what it was started with, or a setting of the host makes it less.
            final long heap = (long) (((long) megabytes << 20) * (0.3 + 0.7 * random.nextDouble()));
            if (SpillwayReducers.areSureOf(task.conf)) {
                sure++;
                final ShuffleChoice choice = ShuffleChoice.of(task.context(), heap);
                assertThat(choice.stockReason())
                        .as(
                                "maps=%s heap=%s codec=%s",
                                task.conf.getNumMapTasks(), heap, task.codec)
                        .isNull();
                final ShuffleSettings settings = choice.settings().shuffle;
                assertThat(settings.chunkSize).isPositive();
                assertThat((long) settings.chunkSize * settings.chunks)
                        .isLessThanOrEqualTo((long) (0.9 * heap));
            } else {
                assertThat(ShuffleChoice.of(task.context(), heap).stockReason()).isNotNull();
            }
        }
        assertThat(sure).isBetween(1000, 1999);
    }
}
