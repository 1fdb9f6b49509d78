// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.WholeFile;
import io.spillway.lab.compare.ComparisonResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps what a comparison has measured so far in a file, and prints it when the command is cut
 * short, by Ctrl-C or by a job that fails. Used by one thread; the JVM's end by another.
 */
final class ResultFile implements Consumer<ComparisonResult>, AutoCloseable {
    private static final int PATIENCE_SECONDS = 3;

    private final Path file;
    private final Function<ComparisonResult, String> json;
    private final Function<ComparisonResult, String> table;
    private final String resume;
    private final PrintWriter out;
    private final Thread onEnd = new Thread(this::printAtEnd, "partial-result");
    private final CountDownLatch closed = new CountDownLatch(1);

    private ComparisonResult latest;

    /**
     * A file that is written with each result.
     *
     * @param json renders the file
     * @param table renders what is printed when there is no more
     * @param resume the command that goes on from there
     */
    ResultFile(
            final Path file,
            final Function<ComparisonResult, String> json,
            final Function<ComparisonResult, String> table,
            final String resume,
            final PrintWriter out) {
        this.file = file;
        this.json = json;
        this.table = table;
        this.resume = resume;
        this.out = out;
        Runtime.getRuntime().addShutdownHook(onEnd);
    }

    /**
     * Checks, before anything runs, that results can be written to a file.
     *
     * @throws BadInputException when they cannot
     */
    static void require(final Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
        } catch (final IOException e) {
            throw new BadInputException("--out " + file + ": its folder cannot be made: " + e);
        }
        final boolean writable =
                Files.exists(file)
                        ? Files.isRegularFile(file) && Files.isWritable(file)
                        : Files.isWritable(file.toAbsolutePath().getParent());
        if (!writable) {
            throw new BadInputException("--out " + file + ": expected a file that can be written");
        }
    }

    /** Takes the result so far; the file is whole at any time. */
    @Override
    public synchronized void accept(final ComparisonResult result) {
        latest = result;
        WholeFile.write(file, json.apply(result));
    }

    /** Ctrl-C: what ran is cut short first, so that its last words do not come in between. */
    private void printAtEnd() {
        try {
            closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        printPartial();
    }

    private synchronized void printPartial() {
        if (latest == null || latest.isComplete()) {
            return;
        }
        out.println();
        out.println("Cut short. Measured so far:");
        out.println();
        out.println(table.apply(latest));
        out.println("JSON: " + file);
        out.println("Go on with: " + resume);
        out.flush();
    }

    /** Prints what there is, unless it is all. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(onEnd);
        } catch (final IllegalStateException e) {
            closed.countDown(); // the JVM ends: the hook prints
            return;
        }
        printPartial();
    }
}
