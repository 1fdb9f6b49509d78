// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameConformance;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.placement.status.StatusPart;
import io.spillway.placement.status.StatusRequest;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.util.List;
import java.util.Map;

class PlacementConformanceTest extends FrameConformance {
    private static final SegmentPlace PLACE = new SegmentPlace(new NodeAddress("h", 7), 9);
    private static final NodeIdentity NODE = new NodeIdentity("n", PLACE);
    private static final SealedJob JOB = new SealedJob("job_1", "al", secret());
    private static final String RECORDED_JOB =
            "00056a6f625f310002616c001d000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c";
    private static final String RECORDED_PLACE = "000168000000070000000000000009";
    private static final NodeReport REPORT =
            new NodeReport(
                    NODE,
                    new NodeSpace(true, 1, 2, 3, 4),
                    new TableVersion(5, 6, 7),
                    new ReportPart(true, 8, false),
                    new ReportContent(
                            List.of("job_2"),
                            List.of(JOB),
                            List.of(
                                    new JobOutputs(
                                            "job_3", List.of(new CommittedOutput("o", 9))))));
    private static final String RECORDED_REPORT =
            "00016e"
                    + RECORDED_PLACE
                    + "010000000000000001000000000000000200000000000000030000000000000004"
                    + "000000000000000500000000000000060000000000000007"
                    + "0100000008000000000100056a6f625f3200000001"
                    + RECORDED_JOB
                    + "0000000100056a6f625f330000000100016f0000000000000009";
    private static final String RECORDED_CHANGES =
            "00000000000000010000000000000002000000000000000301000100000001";
    private static final String RECORDED_IDS =
            "0000000100056a6f625f340000000100056a6f625f3501000003e8";
    private static final StatusPart PART =
            new StatusPart(
                    new ServiceFigures(
                            true, 1000, 0.95, 1, 2, 3, 4, Map.of(LeaseRefusal.LEASES, 5L)),
                    List.of(new NodeFill(NODE, new NodeSpace(true, 1, 2), 3, 4, 5)),
                    List.of(new JobFill("job_1", "", 1, 2, 3)),
                    true);

    private static SealedSecret secret() {
        final byte[] bytes = new byte[SealedSecret.MIN_LENGTH];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return new SealedSecret(bytes);
    }

    private static NodeOrders orders(final SealedJob job) {
        return new NodeOrders(
                new TableChanges(
                        new TableVersion(1, 2, 3),
                        true,
                        false,
                        true,
                        List.of(job),
                        List.of("job_4"),
                        List.of("job_5")),
                true,
                1000);
    }

    @Override
    protected List<Sample> samples() {
        final NodeOrders plain = orders(JOB);
        final NodeOrders keyed = orders(JOB.with(SealedJob.Key.OF_NODE));
        final LeaseRequest lease =
                new LeaseRequest(
                        "o", 5, 2, LeasePolicy.DEDICATED, "h", List.of(new NodeAddress("x", 3)));
        final LeaseAnswer leased = new LeaseAnswer(List.of(PLACE));
        final LocateRequest locate = new LocateRequest(List.of("o"));
        final LocateAnswer located = new LocateAnswer(List.of(List.of(PLACE), List.of()));
        final StatusRequest status = new StatusRequest("n", "");
        return List.of(
                new Sample(
                        REPORT.with(2),
                        REPORT.with(2).encode(),
                        "0102" + RECORDED_REPORT,
                        NodeReport::decode),
                new Sample(
                        REPORT.with(3),
                        REPORT.with(3).encode(),
                        "0103" + RECORDED_REPORT,
                        NodeReport::decode),
                new Sample(
                        plain,
                        plain.encode(2),
                        "0202" + RECORDED_CHANGES + RECORDED_JOB + RECORDED_IDS,
                        NodeOrders::decode),
                new Sample(
                        keyed,
                        keyed.encode(3),
                        "0203" + RECORDED_CHANGES + "00000001" + RECORDED_JOB + RECORDED_IDS,
                        NodeOrders::decode),
                new Sample(
                        lease,
                        lease.encode(),
                        "030200016f0000000000000005000000020000000200016800000001"
                                + "00017800000003",
                        LeaseRequest::decode),
                new Sample(
                        leased,
                        leased.encode(),
                        "040200000001" + RECORDED_PLACE,
                        LeaseAnswer::decode),
                new Sample(locate, locate.encode(), "05020000000100016f", LocateRequest::decode),
                new Sample(
                        located,
                        located.encode(),
                        "06020000000200000001" + RECORDED_PLACE + "00000000",
                        LocateAnswer::decode),
                new Sample(status, status.encode(), "070200016e0000", StatusRequest::decode),
                new Sample(
                        PART,
                        PART.encode(),
                        "080201000003e8000e7ef0000000000000000100000000000000020000000000000003"
                                + "0000000000000004000000000000000000000000000000000000000000000000"
                                + "000000000000000500000000000000000000000100016e"
                                + RECORDED_PLACE
                                + "010000000000000001000000000000000200000000000000000000000000000000"
                                + "00000000000000030000000400000000000000050000000100056a6f625f31"
                                + "0000000000000000000100000002000000000000000301",
                        StatusPart::decode));
    }
}
