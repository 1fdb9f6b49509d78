// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.OutputId;
import io.spillway.engine.toy.ToyRecords.Entry;
import io.spillway.node.ToyLayout;
import io.spillway.node.process.NodeChild;
import io.spillway.transport.NodeAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A framework that is not Hadoop has its outputs served by a node process, with its layout. */
class ToyNodeProcessIT {
    @TempDir private Path dir;

    private ToyRun run;
    private NodeChild node;
    private ToyNodeWorker worker;

    @BeforeEach
    void start() throws Exception {
        run = new ToyRun(dir);
        node = NodeChild.start(dir, Map.of());
        worker = new ToyNodeWorker(NodeChild.socket(dir), dir.resolve("local"), ToyRun.RANGES);
    }

    @AfterEach
    void stop() {
        worker.close();
        node.close();
        run.close();
    }

    @Test
    void reducersMergeWhatItServes() throws Exception {
        final ToyJob job = new ToyJob(run.inputs(), List.of(worker));
        final List<Future<List<Entry>>> outputs = run.reduce(job);
        job.start();
        run.assertSorted(outputs);
        assertThat(job.lost()).isEmpty();
    }

    @Test
    void mapRunsAgainWhoseOutputItDoesNotFind() throws Exception {
        final OutputId lost = ToyJob.output(2, 0);
        final ToyJob.Worker losing =
                (output, input) -> {
                    final NodeAddress address = worker.run(output, input);
                    if (output.equals(lost)) {
                        Files.delete(worker.folder(output).resolve(ToyLayout.DATA));
                    }
                    return address;
                };
        final ToyJob job = new ToyJob(run.inputs(), List.of(losing));
        final List<Future<List<Entry>>> outputs = run.reduce(job);
        job.start();
        run.assertSorted(outputs);
        assertThat(job.lost()).containsExactly(lost);
    }
}
