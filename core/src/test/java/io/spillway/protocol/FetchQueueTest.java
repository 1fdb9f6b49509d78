package io.spillway.protocol;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.FetchException;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TestSegments;
import io.spillway.wire.FetchFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
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

    /** Nobody would answer the client else, nor those behind it. */
    @Test
    void answersForWhatFailsUnexpectedlyAfterItWasOpened(@TempDir final Path folder)
            throws IOException {
        try (TestSegments segments = new TestSegments(folder)) {
            segments.add(3, LENGTH);
            final Queue<Runnable> connection = new ArrayDeque<>();
            final FetchQueue queue =
                    new FetchQueue(
                            segments,
                            ServerSettings.from(name -> null),
                            JOB,
                            Runnable::run,
                            connection::add,
                            new LogLimiter(LoggerFactory.getLogger(FetchQueueTest.class)),
                            new FailingOnce());
            queue.add(new FetchFrame(1, 0, 0, 0, LENGTH, attempt(3)));
            queue.add(new FetchFrame(2, 0, 0, 0, LENGTH, attempt(3)));
            while (!connection.isEmpty()) {
                connection.remove().run();
            }
        }
        assertThat(answers).containsExactly("1 SOURCE_FAILED", "2 sent");
    }
}
