// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.toy.ToyRecords.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Inputs of a job, its reducers, and what they have to give. */
final class ToyRun implements AutoCloseable {
    static final int RANGES = 3;

    private static final int MAPS = 6;
    private static final int RECORDS = 15_000;

    private final Path dir;
    private final List<Path> inputs = new ArrayList<>();
    private final List<Entry> all = new ArrayList<>();
    private final ExecutorService reducers = Executors.newFixedThreadPool(RANGES);

    /** Writes the inputs into a folder, which reducers use too. */
    ToyRun(final Path dir) throws IOException {
        this.dir = dir;
        final Random random = new Random(14);
        for (int map = 0; map < MAPS; map++) {
            final List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < RECORDS; i++) {
                entries.add(Entry.of(random.nextInt(), "record " + i + " of input " + map));
            }
            inputs.add(dir.resolve("input-" + map));
            ToyRecords.write(inputs.get(map), entries);
            all.addAll(entries);
        }
    }

    List<Path> inputs() {
        return inputs;
    }

    /** What a reducer does before its second record. */
    interface AfterFirst {
        void run() throws IOException;
    }

    List<Future<List<Entry>>> reduce(final ToyJob job) {
        final List<Future<List<Entry>>> outputs = new ArrayList<>();
        for (int range = 0; range < RANGES; range++) {
            outputs.add(reduce(job, range, () -> {}));
        }
        return outputs;
    }

    Future<List<Entry>> reduce(final ToyJob job, final int range, final AfterFirst afterFirst) {
        return reducers.submit(
                () -> {
                    final List<Entry> entries = new ArrayList<>();
                    new ToyReducer(job, range, dir, new AtomicLong())
                            .run(
                                    record -> {
                                        entries.add(ToyRecords.read(record));
                                        if (entries.size() == 1) {
                                            unchecked(afterFirst);
                                        }
                                    });
                    return entries;
                });
    }

    /** Equal keys come in the order of inputs, and of records in an input. */
    void assertSorted(final List<Future<List<Entry>>> outputs) throws Exception {
        final List<Entry> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingLong(Entry::key));
        for (int range = 0; range < RANGES; range++) {
            final int wanted = range;
            final List<Entry> expected =
                    sorted.stream().filter(entry -> entry.range(RANGES) == wanted).toList();
            assertThat(expected).isNotEmpty();
            assertThat(outputs.get(range).get().equals(expected)).as("range %d", range).isTrue();
        }
    }

    private static void unchecked(final AfterFirst task) {
        try {
            task.run();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        reducers.shutdownNow();
    }
}
