// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.Setting;
import io.spillway.conf.Settings;
import io.spillway.conf.Sizes;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.hadoop.job.RunsPerMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever two settings are set to in their ranges: maps and reducers agree on the runs of an
 * output, a reducer that may meet runs never is a stock one, and what cannot be says why.
 */
class SettingPairsTest {
    private static final int DRAWS = 3;
    private static final int[] MAPS = {1, 3, 16, 100, 129, 700, 2048, 5000, 40_000};
    private static final int[] HEAPS = {100, 200, 512, 1024, 4096, 30_000};

    /** What the JVM of a reducer says of its heap, as a part of what it was told to take. */
    private static final double[] PARTS = {0.76, 0.9, 0.97, 1};

    private record Value(Setting<?> setting, String text) {}

    @TempDir Path dir;

    private final Random random = new Random(31);
    private ReduceFixture task;
    private ShuffleConsumerPlugin.Context<Object, Object> context;

    @BeforeEach
    void prepare() throws IOException {
        task = new ReduceFixture(1, dir);
        task.conf.unset(EngineKeys.SHUFFLE_BUFFER_BYTES.name());
        task.conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
        task.conf.set(MRConfig.FRAMEWORK_NAME, "yarn");
        context = task.context();
    }

    /** Ends, middle and odd values of each setting's range. */
    private static List<Value> values() {
        final List<Value> values = new ArrayList<>();
        for (final Setting<?> setting : Settings.all()) {
            for (final String text : texts(setting)) {
                values.add(new Value(setting, text));
            }
        }
        return values;
    }

    /** Those of a range like "none, or 1 to 9": the word, and what the rest allows. */
    private static List<String> texts(final Setting<?> setting) {
        final String[] parts = setting.range().split(", or ", 2);
        final List<String> texts = new ArrayList<>(texts(setting, parts[parts.length - 1]));
        if (parts.length > 1) {
            texts.add(parts[0]);
        }
        return texts;
    }

    private static List<String> texts(final Setting<?> setting, final String range) {
        return switch (setting.type()) {
            case BOOLEAN -> List.of("true", "false");
            case FRACTION -> List.of("0.00001", "0.004", "0.7", "0.8");
            case NUMBER -> List.of("0", "1");
            case CHOICE, LIST -> List.of(range.replaceFirst("^(one|any) of ", "").split(", ", -1));
            case TEXT, PATH -> List.of();
            case BYTES -> {
                final String[] ends = range.split(" to ", -1);
                final long least = Sizes.parse(ends[0]);
                final long most = Sizes.parse(ends[1]);
                final long middle = (long) Math.sqrt((double) Math.max(1, least) * most);
                yield List.of(
                        Long.toString(least),
                        Long.toString(least + 1),
                        Long.toString(middle),
                        Long.toString(most));
            }
            default -> List.of(range.split(" to ", -1));
        };
    }

    @Test
    void everyPairWorksOrIsRefusedWithBothNames() throws IOException {
        final List<Value> values = values();
        assertThat(values).hasSizeGreaterThan(100);
        int inRuns = 0;
        for (int i = 0; i < values.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (values.get(i).setting() != values.get(j).setting()) {
                    for (int draw = 0; draw < DRAWS; draw++) {
                        inRuns += check(values.get(i), values.get(j)) ? 1 : 0;
                    }
                }
            }
        }
        assertThat(inRuns).isPositive();
    }

    /** Gives whether maps may leave their outputs in runs. */
    private boolean check(final Value one, final Value other) {
        final int maps = MAPS[random.nextInt(MAPS.length)];
        final int megabytes = HEAPS[random.nextInt(HEAPS.length)];
        final double part = PARTS[random.nextInt(PARTS.length)];
        final long heap = (long) (((long) megabytes << 20) * part);
        final JobConf conf = task.conf;
        conf.setNumMapTasks(maps);
        conf.set(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx" + megabytes + "m");
        final String what = one + ", " + other + ", maps=" + maps + ", heap=" + heap;
        final String reason;
        final int runs;
        final ShuffleChoice choice;
        set(one);
        set(other);
        try {
            runs = RunsPerMap.of(conf).most();
            choice = ShuffleChoice.of(context, heap);
            reason = choice.stockReason();
        } finally {
            unset(one);
            unset(other);
        }
        if (reason == null) {
            final ShuffleSettings settings = choice.settings().shuffle;
            assertThat(settings.runsPerMap).as(what).isEqualTo(runs);
            assertThat((long) settings.chunkSize * 2 * maps * runs)
                    .as(what)
                    .isLessThanOrEqualTo(settings.budgetBytes);
            assertThat(settings.budgetBytes).as(what).isLessThanOrEqualTo((long) (0.9 * heap));
            assertThat((long) settings.chunkSize)
                    .as(what)
                    .isGreaterThanOrEqualTo(windowMin(one, other));
        } else {
            assertThat(runs).as(what + ": " + reason).isOne();
            assertNamesBoth(one, other, heap, reason, what);
        }
        return runs > 1;
    }

    private void set(final Value value) {
        task.conf.set(value.setting().name(), value.text());
    }

    private void unset(final Value value) {
        task.conf.unset(value.setting().name());
    }

    private static long windowMin(final Value one, final Value other) {
        final List<Value> pair = List.of(one, other);
        return pair.stream()
                .filter(value -> value.setting() == EngineKeys.SHUFFLE_WINDOW_MIN)
                .mapToLong(value -> Long.parseLong(value.text()))
                .findFirst()
                .orElse(EngineKeys.SHUFFLE_WINDOW_MIN.defaultValue());
    }

    /** Where each of the two works alone, the reason names both. */
    private void assertNamesBoth(
            final Value one,
            final Value other,
            final long heap,
            final String reason,
            final String what) {
        if (worksAlone(one, heap) && worksAlone(other, heap)) {
            assertThat(reason)
                    .as(what)
                    .contains(one.setting().name())
                    .contains(other.setting().name());
        }
    }

    private boolean worksAlone(final Value value, final long heap) {
        set(value);
        try {
            return ShuffleChoice.of(context, heap).stockReason() == null;
        } finally {
            unset(value);
        }
    }
}
