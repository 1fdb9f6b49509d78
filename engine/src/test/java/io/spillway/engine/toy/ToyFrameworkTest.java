// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.OutputId;
import io.spillway.engine.toy.ToyRecords.Entry;
import io.spillway.host.TestJvm;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A framework that is not Hadoop sorts files through the engine, by ranges of keys. */
final class ToyFrameworkTest {
    private static final int MAPS = 6;
    private static final int RANGES = 3;
    private static final int RECORDS = 15_000;

    @TempDir Path dir;

    private final List<ToyWorker> started = new ArrayList<>();
    private final List<Path> inputs = new ArrayList<>();
    private final List<Entry> all = new ArrayList<>();
    private final ExecutorService reducers = Executors.newFixedThreadPool(RANGES);

    @BeforeEach
    void writeInputs() throws IOException {
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

    @AfterEach
    void stop() {
        reducers.shutdownNow();
        started.forEach(worker -> worker.server.close());
    }

    @Test
    void threadsOfOneJvmExchangeSortedRanges() throws Exception {
        final ToyJob job = new ToyJob(inputs, List.of(worker(), worker()));
        final List<Future<List<Entry>>> outputs = reduce(job);
        job.start();
        assertSorted(outputs);
        assertThat(job.lost()).isEmpty();
    }

    @Test
    void mapsOfWorkersThatAreGoneRunAgain() throws Exception {
        final ToyWorker gone = worker();
        final CountDownLatch ran = new CountDownLatch(2);
        final ToyJob.Worker leaving =
                (output, input) -> {
                    final NodeAddress node = gone.run(output, input);
                    ran.countDown();
                    await(ran);
                    gone.server.close();
                    return node;
                };
        final ToyJob job = new ToyJob(inputs, List.of(worker(), leaving, worker()));
        final List<Future<List<Entry>>> outputs = reduce(job);
        job.start();
        assertSorted(outputs);
        assertThat(job.lost()).containsExactlyInAnyOrder(output(1), output(4));
    }

    @Test
    void mapRunsAgainWhoseOutputIsLostWhileItIsMerged() throws Exception {
        final ToyJob job = new ToyJob(inputs, List.of(worker(), worker()));
        final CountDownLatch merging = new CountDownLatch(RANGES);
        final List<Future<List<Entry>>> outputs = new ArrayList<>();
        for (int range = 0; range < RANGES; range++) {
            outputs.add(
                    reduce(
                            job,
                            range,
                            () -> {
                                merging.countDown();
                                await(merging);
                                Files.deleteIfExists(dir.resolve(output(3).name()));
                            }));
        }
        job.start();
        assertSorted(outputs);
        assertThat(job.lost()).containsExactly(output(3));
    }

    @Test
    void mapRunsAgainWhoseOutputIsDamaged() throws Exception {
        final ToyWorker sound = worker();
        final ToyJob.Worker damaging =
                (output, input) -> {
                    final NodeAddress node = sound.run(output, input);
                    if (output.equals(output(2))) {
                        damage(dir.resolve(output.name()));
                    }
                    return node;
                };
        final ToyJob job = new ToyJob(inputs, List.of(damaging));
        final List<Future<List<Entry>>> outputs = reduce(job);
        job.start();
        assertSorted(outputs);
        assertThat(job.lost()).containsExactly(output(2));
    }

    @Test
    void twoJvmsExchangeSortedRanges() throws Exception {
        final Process child = child();
        try {
            final ToyJob.Worker process = new ToyWorker.InProcess(child);
            final ToyJob.Worker losing =
                    (output, input) -> {
                        final NodeAddress node = process.run(output, input);
                        if (output.equals(output(2))) {
                            Files.delete(dir.resolve(output.name()));
                        }
                        return node;
                    };
            final ToyJob job = new ToyJob(inputs, List.of(losing));
            final List<Future<List<Entry>>> outputs = reduce(job);
            job.start();
            assertSorted(outputs);
            assertThat(job.lost()).containsExactly(output(2));
            child.outputWriter().close();
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).isZero();
        } finally {
            child.destroyForcibly();
        }
    }

    private ToyWorker worker() throws IOException {
        final ToyWorker worker = new ToyWorker(dir, RANGES);
        started.add(worker);
        return worker;
    }

    private Process child() throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder(
                        TestJvm.command(
                                List.of("-Xmx128m"),
                                ToyWorker.class,
                                dir.toString(),
                                Integer.toString(RANGES)));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static OutputId output(final int map) {
        return new OutputId(map, String.format(ToyJob.OUTPUT, map, 0));
    }

    /** Turns the bits of a byte in the middle, which one of the ranges has. */
    private static void damage(final Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= -1;
        Files.write(file, bytes);
    }

    /** What a reducer does before its second record. */
    private interface AfterFirst {
        void run() throws IOException;
    }

    private List<Future<List<Entry>>> reduce(final ToyJob job) {
        final List<Future<List<Entry>>> outputs = new ArrayList<>();
        for (int range = 0; range < RANGES; range++) {
            outputs.add(reduce(job, range, () -> {}));
        }
        return outputs;
    }

    private Future<List<Entry>> reduce(
            final ToyJob job, final int range, final AfterFirst afterFirst) {
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
    private void assertSorted(final List<Future<List<Entry>>> outputs) throws Exception {
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

    private static void await(final CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new IOException(e);
        }
    }
}
