// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.FrameConformance;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServedJob;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class ControlConformanceTest extends FrameConformance {
    private static final ManagerHello HELLO =
            new ManagerHello(
                    "nm1",
                    new NodeAddress("h", 13562),
                    List.of(Path.of("/d1"), Path.of("/d2")),
                    List.of(new ManagerHello.Store("memory", Path.of("/m"), 7)));
    private static final NodeWelcome WELCOME =
            new NodeWelcome(5, 42, List.of(new TransportOffer("ucx", new NodeAddress("h", 9))));
    private static final ServedJob JOB = new ServedJob("job_1_1", "alice", new byte[] {1, 2, 3});

    private static Object decode(final ByteBuffer bytes) throws MalformedFrameException {
        final FrameHeader<ControlFrameType> header =
                ControlFrameType.FRAMES.header(bytes, ControlFrameType.VERSIONS);
        return switch (header.type()) {
            case HELLO -> ManagerHello.decode(bytes);
            case WELCOME -> NodeWelcome.decode(bytes);
            case REFUSED -> NodeRefusal.decode(bytes);
            case JOB -> JobNotice.decode(bytes);
            case JOB_ENDED, TASK_ENDED -> JobEvent.decode(new ControlFrame(header.type(), bytes));
            case STATUS_REPORT -> StatusReply.decode(bytes);
            default -> {
                header.type().reader(bytes).end();
                yield header.type();
            }
        };
    }

    private static Sample sample(
            final Object frame, final ByteBuffer encoded, final String recorded) {
        return new Sample(frame, encoded, recorded, ControlConformanceTest::decode);
    }

    private static Sample event(final ControlFrameType type, final String recorded) {
        final JobEvent event = new JobEvent(type, "job_1_1");
        return sample(event, event.encode(), recorded);
    }

    @Override
    protected List<Sample> samples() {
        final NodeRefusal refusal = new NodeRefusal("no");
        final StatusReply status = new StatusReply("{}");
        final List<Sample> samples =
                new ArrayList<>(
                        List.of(
                                sample(
                                        HELLO,
                                        HELLO.encode(),
                                        "01030000003e000000036e6d310000000168000034fa00000002"
                                                + "000000032f6431000000032f643200000001"
                                                + "000000066d656d6f7279000000022f6d"
                                                + "0000000000000007"),
                                sample(
                                        WELCOME,
                                        WELCOME.encode(),
                                        "0203000000240000000000000005000000000000002a"
                                                + "0000000100000003756378000000016800000009"),
                                sample(refusal, refusal.encode(), "030300000006000000026e6f"),
                                sample(
                                        JOB,
                                        JobNotice.encode(JOB),
                                        "04030000001b000000076a6f625f315f31"
                                                + "00000005616c69636500000003010203"),
                                event(
                                        ControlFrameType.JOB_ENDED,
                                        "06030000000b000000076a6f625f315f31"),
                                event(
                                        ControlFrameType.TASK_ENDED,
                                        "07030000000b000000076a6f625f315f31"),
                                sample(status, status.encode(), "0b0300000006000000027b7d")));
        for (final ControlFrameType type : ControlFrameType.values()) {
            if (type.body().most() == 0) {
                final String recorded = String.format("%02x0300000000", codeOf(type));
                samples.add(sample(type, type.encodeEmpty(), recorded));
            }
        }
        return samples;
    }

    private static int codeOf(final ControlFrameType type) {
        return switch (type) {
            case JOBS_TOLD -> 5;
            case PING -> 8;
            case PONG -> 9;
            case STATUS -> 10;
            case CLUSTER -> 12;
            case DRAIN -> 13;
            case DRAIN_CANCEL -> 14;
            default -> throw new AssertionError(type);
        };
    }
}
