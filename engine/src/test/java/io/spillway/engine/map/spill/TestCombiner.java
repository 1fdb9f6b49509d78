// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Keeps the first record of each key, and counts. One thread. */
final class TestCombiner implements RunCombiner {
    /** What a job's code does with what its output throws. */
    enum Manner {
        /** It lets it pass. */
        PLAIN,
        /** It throws another exception with it. */
        WRAPPING,
        /** It goes on as if nothing were. */
        SWALLOWING
    }

    private final Manner manner;
    private long input;
    private long output;

    TestCombiner(final Manner manner) {
        this.manner = manner;
    }

    long input() {
        return input;
    }

    long output() {
        return output;
    }

    @Override
    public Runnable mark() {
        final long inputBefore = input;
        final long outputBefore = output;
        return () -> {
            input = inputBefore;
            output = outputBefore;
        };
    }

    @Override
    public void combine(final Records records, final Sink sink) throws IOException {
        byte[] last = null;
        for (RecordCursor record = records.next(); record != null; record = records.next()) {
            input++;
            final byte[] key =
                    Arrays.copyOfRange(
                            record.buffer(),
                            record.keyStart(),
                            record.keyStart() + record.keyLength());
            if (!Arrays.equals(key, last)) {
                output++;
                append(record, sink);
                last = key;
            }
        }
    }

    private void append(final RecordCursor record, final Sink sink) throws IOException {
        try {
            sink.append(
                    record.buffer(),
                    record.keyStart(),
                    record.keyLength(),
                    record.buffer(),
                    record.valueStart(),
                    record.valueLength());
        } catch (final IOException e) {
            switch (manner) {
                case PLAIN -> throw e;
                case WRAPPING -> throw new UncheckedIOException(e);
                case SWALLOWING -> {
                    // What a combiner should not do.
                }
            }
        }
    }
}
