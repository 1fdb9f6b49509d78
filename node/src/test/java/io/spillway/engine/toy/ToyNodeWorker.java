// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import io.spillway.engine.spi.OutputId;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.RecordCounts;
import io.spillway.node.ToyLayout;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.process.TestManager;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.serve.ServedJob;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Sorts inputs into files where a node process finds them, which serves them. Thread-safe. */
final class ToyNodeWorker implements ToyJob.Worker, AutoCloseable {
    private static final String USER = "alice";

    private final Path localDir;
    private final int ranges;
    private final ControlClient link;
    private final NodeAddress node;

    /** Waits until the node process at this socket serves. */
    ToyNodeWorker(final Path socket, final Path localDir, final int ranges)
            throws InterruptedException {
        this.localDir = localDir;
        this.ranges = ranges;
        final ManagerHello hello =
                new ManagerHello(
                        "toys", new NodeAddress("127.0.0.1", 1), List.of(localDir), List.of());
        final ServedJob job = new ServedJob(ToyJob.ID, USER, ToyWorker.CREDENTIALS.secret());
        link =
                ControlClient.start(
                        socket, () -> hello, () -> List.of(job), ControlClient.Starter.NONE);
        node = TestManager.awaitTcp(link);
    }

    Path folder(final OutputId output) {
        return localDir.resolve(ToyLayout.folder(USER, ToyJob.ID, output.name()));
    }

    @Override
    public NodeAddress run(final OutputId output, final Path input) throws IOException {
        final Path data = Files.createDirectories(folder(output)).resolve(ToyLayout.DATA);
        final ToyWorker.Output sorted = ToyWorker.sort(input, ranges, data);
        try (OutputStream sums = Files.newOutputStream(beside(data, BlockChecksums.SUFFIX));
                OutputStream counts = Files.newOutputStream(beside(data, RecordCounts.SUFFIX));
                OutputStream index = Files.newOutputStream(data.resolveSibling(ToyLayout.INDEX))) {
            sorted.sums().writeTo(sums, 1);
            sorted.counts().writeTo(counts, 1);
            sorted.index().writeTo(index);
        }
        return node;
    }

    private static Path beside(final Path data, final String suffix) {
        return data.resolveSibling(ToyLayout.DATA + suffix);
    }

    @Override
    public void close() {
        link.close();
    }
}
