// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatusMessagesTest {
    private static final ServiceFigures SERVICE =
            new ServiceFigures(
                    true,
                    1_000,
                    0.95,
                    12_345,
                    ServiceFigures.UNLIMITED,
                    3,
                    17,
                    Map.of(LeaseRefusal.JOB_QUOTA, 4L));

    private static NodeFill node(final String name, final long capacity, final long used) {
        return new NodeFill(
                new NodeIdentity(name, new NodeAddress("10.0.0.1", 13562), 5),
                new NodeSpace(true, capacity, used),
                20,
                7,
                250);
    }

    private static JobFill job(final String id, final String user, final long bytes) {
        return new JobFill(id, user, bytes, 2, 1);
    }

    private static final StatusPart PART =
            new StatusPart(
                    SERVICE,
                    List.of(node("n1", 1000, 10), node("n2", 0, 0)),
                    List.of(job("job_1", "alice", 5), job("job_2", "", 6)),
                    true);

    @Test
    void areReadAsTheyWereWritten() throws MalformedFrameException {
        assertThat(StatusPart.decode(PART.encode())).isEqualTo(PART);
        final StatusRequest request = new StatusRequest("n1", "job_1");
        assertThat(StatusRequest.decode(request.encode())).isEqualTo(request);
        assertThat(StatusRequest.decode(StatusRequest.FIRST.encode()))
                .isEqualTo(StatusRequest.FIRST);
    }

    @Test
    void whatIsCutOffOrTooLongIsRefused() {
        for (final ByteBuffer whole : List.of(PART.encode(), StatusRequest.FIRST.encode())) {
            final boolean isPart = whole.remaining() > 10;
            for (int length = 0; length < whole.remaining(); length++) {
                final ByteBuffer cut = whole.duplicate().limit(length);
                assertThatThrownBy(
                                () -> {
                                    if (isPart) {
                                        StatusPart.decode(cut);
                                    } else {
                                        StatusRequest.decode(cut);
                                    }
                                })
                        .isInstanceOf(MalformedFrameException.class);
            }
        }
        final ByteBuffer longer = ByteBuffer.allocate(PART.encode().remaining() + 1);
        longer.put(PART.encode()).rewind();
        assertThatThrownBy(() -> StatusPart.decode(longer))
                .isInstanceOf(MalformedFrameException.class);
        assertThatThrownBy(() -> StatusPart.decode(new StatusRequest("a", "b").encode()))
                .isInstanceOf(MalformedFrameException.class);
    }

    @Test
    void figuresOutOfRangeAreRefused() {
        assertThatThrownBy(() -> node("n", 1, 1L << 51)).hasMessageContaining("used=");
        assertThatThrownBy(() -> job("job", "u", -1)).hasMessageContaining("bytes=-1");
        // The flag "settled" is the first field.
        final ByteBuffer part = PART.encode();
        part.put(2, (byte) 2);
        assertThatThrownBy(() -> StatusPart.decode(part))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("settled=2");
    }

    /** The longest names that there may be: the longest part is no longer than a message may be. */
    @Test
    void theLongestPartFitsIntoAMessage() throws MalformedFrameException {
        final String longest = "n".repeat(250);
        final List<NodeFill> nodes =
                IntStream.range(0, StatusPart.MAX_NODES)
                        .mapToObj(i -> longest + (10_000 + i))
                        .map(
                                name ->
                                        new NodeFill(
                                                new NodeIdentity(name, new NodeAddress(name, 1), 5),
                                                new NodeSpace(true, 1, 1),
                                                0,
                                                0,
                                                0))
                        .toList();
        final List<JobFill> jobs =
                IntStream.range(0, StatusPart.MAX_JOBS)
                        .mapToObj(i -> job("j".repeat(91) + (10_000 + i), "u".repeat(256), i))
                        .toList();
        final ByteBuffer encoded = new StatusPart(SERVICE, nodes, jobs, false).encode();
        assertThat(encoded.remaining()).isLessThan(MessageKind.MAX_LENGTH);
        assertThat(StatusPart.decode(encoded).jobs()).isEqualTo(jobs);
        final List<JobFill> tooMany = new ArrayList<>(jobs);
        tooMany.add(job("x", "u", 1));
        assertThatThrownBy(() -> new StatusPart(SERVICE, nodes, tooMany, false))
                .hasMessageContaining("jobs=1025");
    }

    @Test
    void aLargeClusterComesInParts() throws Exception {
        final List<NodeFill> nodes =
                IntStream.range(0, 1300).mapToObj(i -> node("node-" + i, 100, 10)).toList();
        final List<JobFill> jobs =
                IntStream.range(0, 3000).mapToObj(i -> job("job_" + i, "u" + i % 3, 10)).toList();
        final PlacementStatus all =
                new PlacementStatus(
                        SERVICE, nodes, jobs, Map.of("u0", 10_000L, "u1", 10_000L, "u2", 10_000L));
        final List<StatusRequest> asked = new ArrayList<>();
        final PlacementStatus read =
                StatusQuestion.ask(
                        question -> {
                            try {
                                asked.add(StatusRequest.decode(question));
                            } catch (final MalformedFrameException e) {
                                throw new AssertionError(e);
                            }
                            return all.part(asked.get(asked.size() - 1)).encode();
                        });
        assertThat(read).isEqualTo(all);
        assertThat(asked).hasSize(3);
        assertThat(read.capacity()).isEqualTo(130_000);
        assertThat(read.outputs()).isEqualTo(9_100);
    }

    @Test
    void anAnswerThatDoesNotEndIsGivenUp() {
        assertThatThrownBy(() -> StatusQuestion.ask(question -> PART.encode()))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.PROTOCOL));
        assertThatThrownBy(() -> StatusQuestion.ask(question -> ByteBuffer.allocate(3)))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.PROTOCOL));
    }

    @Test
    void aNodesStateSaysWhatCountsMost() {
        assertThat(node("n", 1000, 10).state(SERVICE)).hasToString("ok");
        assertThat(node("n", 1000, 929).state(SERVICE)).hasToString("ok");
        assertThat(node("n", 1000, 930).state(SERVICE)).hasToString("full");
        assertThat(node("n", 0, 0).state(SERVICE)).hasToString("none");
        final NodeFill full = node("n", 1000, 1000);
        assertThat(new NodeFill(full.identity(), full.space(), 0, 0, 3_001).state(SERVICE))
                .hasToString("late");
    }
}
