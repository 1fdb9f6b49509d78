// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.OutputId;
import io.spillway.engine.toy.ToyRecords.Entry;
import io.spillway.host.TestJvm;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A framework that is not Hadoop sorts files through the engine, by ranges of keys. */
final class ToyFrameworkTest {
    @TempDir Path dir;

    private final List<ToyWorker> started = new ArrayList<>();
    private ToyRun run;

    @BeforeEach
    void writeInputs() throws IOException {
        run = new ToyRun(dir);
    }

    @AfterEach
    void stop() {
        run.close();
        started.forEach(worker -> worker.server.close());
    }

    @Test
    void threadsOfOneJvmExchangeSortedRanges() throws Exception {
        final ToyJob job = new ToyJob(run.inputs(), List.of(worker(), worker()));
        final List<Future<List<Entry>>> outputs = run.reduce(job);
        job.start();
        run.assertSorted(outputs);
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
        final ToyJob job = new ToyJob(run.inputs(), List.of(worker(), leaving, worker()));
        final List<Future<List<Entry>>> outputs = run.reduce(job);
        job.start();
        run.assertSorted(outputs);
        assertThat(job.lost()).containsExactlyInAnyOrder(output(1), output(4));
    }

    @Test
    void mapRunsAgainWhoseOutputIsLostWhileItIsMerged() throws Exception {
        final ToyJob job = new ToyJob(run.inputs(), List.of(worker(), worker()));
        final CountDownLatch merging = new CountDownLatch(ToyRun.RANGES);
        final List<Future<List<Entry>>> outputs = new ArrayList<>();
        for (int range = 0; range < ToyRun.RANGES; range++) {
            outputs.add(
                    run.reduce(
                            job,
                            range,
                            () -> {
                                merging.countDown();
                                await(merging);
                                Files.deleteIfExists(dir.resolve(output(3).name()));
                            }));
        }
        job.start();
        run.assertSorted(outputs);
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
        final ToyJob job = new ToyJob(run.inputs(), List.of(damaging));
        final List<Future<List<Entry>>> outputs = run.reduce(job);
        job.start();
        run.assertSorted(outputs);
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
            final ToyJob job = new ToyJob(run.inputs(), List.of(losing));
            final List<Future<List<Entry>>> outputs = run.reduce(job);
            job.start();
            run.assertSorted(outputs);
            assertThat(job.lost()).containsExactly(output(2));
            child.outputWriter().close();
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).isZero();
        } finally {
            child.destroyForcibly();
        }
    }

    private ToyWorker worker() throws IOException {
        final ToyWorker worker = new ToyWorker(dir, ToyRun.RANGES);
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
                                Integer.toString(ToyRun.RANGES)));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static OutputId output(final int map) {
        return ToyJob.output(map, 0);
    }

    /** Turns the bits of a byte in the middle, which one of the ranges has. */
    private static void damage(final Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= -1;
        Files.write(file, bytes);
    }

    private static void await(final CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new IOException(e);
        }
    }
}
