// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;

/** A task that fetches until it is killed. */
public final class TaskMain {
    /** What it prints when bytes have come. */
    static final String FETCHING = "fetching";

    private static final int IN_FLIGHT = 30;
    private static final int PIECE = 1 << 20;

    private TaskMain() {}

    /** Fetches by the rank at a socket, from the node at an address. */
    public static void main(final String[] arguments) throws Exception {
        final SegmentId segment = new SegmentId(TestSegments.attempt(RankMain.MAP), 0);
        try (MpiTransport transport =
                        new MpiTransport(Path.of(arguments[0]), name -> null, DirectMemory.SYSTEM);
                Channel channel =
                        transport.open(NodeAddress.parse(arguments[1]), Ranks.credentials())) {
            final Queue<FetchRecorder> fetches = new ArrayDeque<>();
            for (int i = 0; ; i++) {
                fetches.add(FetchRecorder.fetch(channel, segment, (long) PIECE * (i % 8), PIECE));
                if (fetches.size() > IN_FLIGHT && fetches.remove().bytes().length == PIECE) {
                    System.out.println(FETCHING);
                }
            }
        }
    }
}
