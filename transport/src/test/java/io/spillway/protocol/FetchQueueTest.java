// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TestSegments;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.FetchFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

final class FetchQueueTest {
    private static final int LENGTH = 1000;

    private final List<String> answers = new ArrayList<>();

    private final class FailingOnce implements FetchQueue.Answerer {
        private boolean failed;

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void send(final FetchFrame fetch, final ServedSegment segment) {
            segment.close();
            if (!failed) {
                failed = true;
                throw new IllegalStateException("no such luck");
            }
            answers.add(fetch.requestId() + " sent");
        }

        @Override
        public void sendElsewhere(final FetchFrame fetch, final SegmentPlaces places) {
            answers.add(fetch.requestId() + " at " + places);
        }

        @Override
        public void sendFailure(final FetchFrame fetch, final FetchException cause) {
            answers.add(fetch.requestId() + " " + cause.reason());
        }

        @Override
        public void resumed() {}

        @Override
        public void drop(final String reason) {
            answers.add("dropped: " + reason);
        }
    }

    /** Whatever thread fails, and wherever. */
    private final class Broken implements FetchQueue.Answerer {
        private final RuntimeException onDrop;

        Broken(final RuntimeException onDrop) {
            this.onDrop = onDrop;
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void send(final FetchFrame fetch, final ServedSegment segment) {
            segment.close();
            throw new OutOfMemoryError("sending fails in a test");
        }

        @Override
        public void sendElsewhere(final FetchFrame fetch, final SegmentPlaces places) {
            throw new OutOfMemoryError("sending a place fails in a test");
        }

        @Override
        public void sendFailure(final FetchFrame fetch, final FetchException cause) {
            throw new OutOfMemoryError("sending a failure fails in a test");
        }

        @Override
        public void resumed() {}

        @Override
        public void drop(final String reason) {
            answers.add("dropped: " + reason);
            if (onDrop != null && answers.size() < 3) {
                throw onDrop;
            }
        }
    }

    private FetchQueue queue(
            final SegmentSource source,
            final Executor blocking,
            final Executor connection,
            final FetchQueue.Answerer answerer) {
        return new FetchQueue(
                source,
                ServerSettings.from(name -> null),
                JOB,
                blocking,
                connection,
                new LogLimiter(LoggerFactory.getLogger(FetchQueueTest.class)),
                answerer);
    }

    private static FetchFrame fetch(final long requestId) {
        return new FetchFrame(requestId, 0, 0, 0, LENGTH, attempt(3));
    }

    /** Otherwise neither the client nor those behind it would get an answer. */
    @Test
    void answersForWhatFailsUnexpectedlyAfterItWasOpened(@TempDir final Path folder)
            throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final Queue<Runnable> connection = new ArrayDeque<>();
            final FetchQueue queue =
                    queue(segments, Runnable::run, connection::add, new FailingOnce());
            queue.add(fetch(1));
            queue.add(fetch(2));
            while (!connection.isEmpty()) {
                connection.remove().run();
            }
        }
        assertThat(answers).containsExactly("1 SOURCE_FAILED", "2 sent");
    }

    @Test
    void dropsAClientThatCannotEvenBeToldOfAFailure(@TempDir final Path folder) throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final FetchQueue queue =
                    queue(segments, Runnable::run, Runnable::run, new Broken(null));
            queue.add(fetch(1));
            assertThat(segments.openSegments()).isZero();
        }
        assertThat(answers).hasSize(1).first().asString().startsWith("dropped").contains("Error");
    }

    @Test
    void dropsItAgainWhereThatFailsToo(@TempDir final Path folder) throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final Queue<Runnable> connection = new ArrayDeque<>();
            final IllegalStateException onDrop = new IllegalStateException("not now");
            final FetchQueue queue =
                    queue(segments, Runnable::run, connection::add, new Broken(onDrop));
            queue.add(fetch(1));
            assertThatThrownBy(() -> connection.remove().run()).isSameAs(onDrop);
            queue.check();
            queue.close();
            queue.check();
        }
        assertThat(answers).hasSize(3).allMatch(answer -> answer.startsWith("dropped"));
    }

    /** The thread that has opened a map output cannot reach the connection's. */
    @Test
    void dropsAClientWhoseMapOutputGotLostBetweenThreads(@TempDir final Path folder)
            throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final FetchQueue queue =
                    queue(
                            segments,
                            Runnable::run,
                            task -> {
                                throw new OutOfMemoryError("no way in a test");
                            },
                            new FailingOnce());
            queue.add(fetch(1));
            assertThat(answers).isEmpty();
            queue.check();
            assertThat(segments.openSegments()).isZero();
        }
        assertThat(answers).hasSize(1).first().asString().startsWith("dropped");
    }

    @Test
    void dropsAClientWhenNoThreadCanOpenItsMapOutput(@TempDir final Path folder)
            throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final FetchQueue queue =
                    queue(
                            segments,
                            task -> {
                                throw new OutOfMemoryError("unable to create native thread");
                            },
                            Runnable::run,
                            new FailingOnce());
            queue.add(fetch(1));
        }
        assertThat(answers).hasSize(1).first().asString().startsWith("dropped");
    }

    /** The map output is sound: another time it can be had. */
    @Test
    void answersForASourceThatRunsOutOfMemory() {
        final FetchQueue queue =
                queue(
                        (job, segment) -> {
                            throw new OutOfMemoryError("opening fails in a test");
                        },
                        Runnable::run,
                        Runnable::run,
                        new FailingOnce());
        queue.add(fetch(1));
        assertThat(answers).containsExactly("1 BUSY");
    }
}
