// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static io.spillway.transport.TestSegments.JOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.CallFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How every transport calls; each one's tests are a subclass that says how to start it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class CallConformance {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final String OTHER_JOB = "job_1700000000000_0002";

    private final Map<String, byte[]> secrets = new ConcurrentHashMap<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final Random random = new Random(11);
    private Transport transport;

    /** Starts a node at a free port of the loopback address. */
    protected abstract Node startNode(
            SegmentSource source, JobSecrets jobSecrets, ServerSettings settings) throws Exception;

    /** Makes a client. */
    protected abstract Transport newTransport() throws Exception;

    @BeforeEach
    void start() throws Exception {
        secrets.put(JOB, SECRET);
        transport = closeLater(newTransport());
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closeLater(final T resource) {
        toClose.add(resource);
        return resource;
    }

    /** Has no segments. */
    private record Answering(NodeService answering) implements SegmentSource {
        @Override
        public SegmentAnswer open(final String jobId, final SegmentId segment)
                throws FetchException {
            throw new FetchException(Reason.NOT_FOUND, "no segments here");
        }

        @Override
        public Optional<NodeService> service() {
            return Optional.ofNullable(answering);
        }
    }

    private Node node(final NodeService service) throws Exception {
        return closeLater(
                startNode(new Answering(service), secrets::get, ServerSettings.from(name -> null)));
    }

    private Channel open(final Node node, final String job) throws FetchException {
        return closeLater(transport.open(node.address(), new JobCredentials(job, SECRET)));
    }

    private Channel open(final NodeService service) throws Exception {
        return open(node(service), JOB);
    }

    private static void echo(
            final String job, final ByteBuffer request, final NodeService.Reply reply) {
        reply.done(request);
    }

    private byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] answer(final CompletableFuture<ByteBuffer> call) throws Exception {
        final ByteBuffer answer = call.get(30, TimeUnit.SECONDS);
        final byte[] bytes = new byte[answer.remaining()];
        answer.get(bytes);
        return bytes;
    }

    private static FetchException failure(final CompletableFuture<ByteBuffer> call)
            throws Exception {
        try {
            call.get(30, TimeUnit.SECONDS);
            throw new AssertionError("answered, expected a failure");
        } catch (final ExecutionException e) {
            return (FetchException) e.getCause();
        }
    }

    @Test
    void bringsQuestionsAndAnswersOfAllLengths() throws Exception {
        final Channel channel = open(CallConformance::echo);
        for (final int length : new int[] {0, 1, 6, 4096, 65_537, CallFrame.MAX_LENGTH_OF_CALL}) {
            final byte[] question = bytes(length);
            assertThat(answer(channel.call(ByteBuffer.wrap(question)))).isEqualTo(question);
            final ByteBuffer direct = ByteBuffer.allocateDirect(length + 20).position(10);
            direct.put(question).flip().position(10);
            assertThat(answer(channel.call(direct))).isEqualTo(question);
        }
    }

    @Test
    void tellsTheServiceWhoseSecretWasProved() throws Exception {
        secrets.put(OTHER_JOB, SECRET);
        final Node node =
                node(
                        (job, request, reply) ->
                                reply.done(
                                        ByteBuffer.wrap(job.getBytes(StandardCharsets.US_ASCII))));
        final ByteBuffer nothing = ByteBuffer.allocate(0);
        assertThat(answer(open(node, JOB).call(nothing))).asString().isEqualTo(JOB);
        assertThat(answer(open(node, OTHER_JOB).call(nothing))).asString().isEqualTo(OTHER_JOB);
    }

    @Test
    void answersManyCallsInAnyOrderAndFewAtATime() throws Exception {
        final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        final AtomicInteger most = new AtomicInteger();
        final Channel channel =
                open(
                        (job, request, reply) -> {
                            waiting.add(() -> reply.done(request));
                            most.accumulateAndGet(waiting.size(), Math::max);
                        });
        final Map<CompletableFuture<ByteBuffer>, byte[]> calls = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            final byte[] question = bytes(random.nextInt(5_000));
            calls.put(channel.call(ByteBuffer.wrap(question)), question);
        }
        final Thread answering =
                new Thread(
                        () -> {
                            for (int answered = 0; answered < 200; ) {
                                final Runnable next = waiting.poll();
                                if (next != null) {
                                    next.run();
                                    answered++;
                                }
                                Thread.onSpinWait();
                            }
                        });
        answering.setDaemon(true);
        answering.start();
        for (final Map.Entry<CompletableFuture<ByteBuffer>, byte[]> call : calls.entrySet()) {
            assertThat(answer(call.getKey())).isEqualTo(call.getValue());
        }
        answering.join(10_000);
        assertThat(answering.isAlive()).isFalse();
        assertThat(most.get()).isBetween(1, CallFrame.MAX_CALLS);
    }

    @Test
    void bringsWhatTheServiceSaysOfItsFailure() throws Exception {
        final Channel channel =
                open(
                        (job, request, reply) ->
                                reply.failed(new FetchException(Reason.FULL, "no room at all")));
        for (int i = 0; i < 3 * CallFrame.MAX_CALLS; i++) {
            final FetchException failure = failure(channel.call(ByteBuffer.allocate(3)));
            assertThat(failure.reason()).isEqualTo(Reason.FULL);
            assertThat(failure).hasMessageContaining("no room at all");
        }
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void aServiceThatThrowsFailsItsCallOnly() throws Exception {
        final Channel channel =
                open(
                        (job, request, reply) -> {
                            if (request.remaining() == 1) {
                                throw new IllegalStateException("thrown by a test's service");
                            }
                            if (request.remaining() == 2) {
                                throw new OutOfMemoryError("no memory in a test");
                            }
                            reply.done(request);
                        });
        assertThat(failure(channel.call(ByteBuffer.allocate(1))).reason())
                .isEqualTo(Reason.SOURCE_FAILED);
        assertThat(failure(channel.call(ByteBuffer.allocate(2))).reason()).isEqualTo(Reason.BUSY);
        assertThat(answer(channel.call(ByteBuffer.allocate(3)))).hasSize(3);
    }

    @Test
    void refusesWhatIsTooLong() throws Exception {
        final Channel channel =
                open(
                        (job, request, reply) ->
                                reply.done(ByteBuffer.allocate(CallFrame.MAX_LENGTH_OF_CALL + 1)));
        final FetchException question =
                failure(channel.call(ByteBuffer.allocate(CallFrame.MAX_LENGTH_OF_CALL + 1)));
        assertThat(question.reason()).isEqualTo(Reason.OUT_OF_RANGE);
        assertThat(question).hasMessageContaining("expected 0 to 1048576");
        final FetchException answer = failure(channel.call(ByteBuffer.allocate(1)));
        assertThat(answer.reason()).isEqualTo(Reason.SOURCE_FAILED);
        assertThat(answer).hasMessageContaining("expected at most 1048576");
    }

    @Test
    void aNodeWithoutAServiceSaysSo() throws Exception {
        final Channel channel = open((NodeService) null);
        assertThat(failure(channel.call(ByteBuffer.allocate(1))).reason())
                .isEqualTo(Reason.NO_SERVICE);
    }

    @Test
    void callsWithoutAnAnswerEndWithTheirConnection() throws Exception {
        final List<NodeService.Reply> held = new ArrayList<>();
        final Node node =
                node(
                        (job, request, reply) -> {
                            synchronized (held) {
                                held.add(reply);
                                held.notifyAll();
                            }
                        });
        final Channel channel = open(node, JOB);
        final CompletableFuture<ByteBuffer> call = channel.call(ByteBuffer.allocate(100));
        synchronized (held) {
            while (held.isEmpty()) {
                held.wait(30_000);
            }
        }
        channel.close();
        assertThat(failure(call).reason()).isEqualTo(Reason.DISCONNECTED);
        // Too late: the connection that it was for has gone.
        held.get(0).done(ByteBuffer.allocate(10));
        assertThatThrownBy(() -> answer(channel.call(ByteBuffer.allocate(1))))
                .hasCauseInstanceOf(FetchException.class);
        final Channel second = open(node, JOB);
        final CompletableFuture<ByteBuffer> other = second.call(ByteBuffer.allocate(1));
        node.close();
        assertThat(failure(other).reason()).isEqualTo(Reason.DISCONNECTED);
    }
}
