// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TaskFixture;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that do not answer, beside nodes that do. */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeConnectionsTest {
    private static final JobCredentials JOB = new JobCredentials("job_1_0001", new byte[20]);
    private static final int OPENERS = 2;
    private static final int SILENT = 3;

    /** Asks some nodes in vain: an opening there ends when the test allows it. */
    private static final class HalfSilent implements Transport {
        private final MemoryTransport others = new MemoryTransport(1);
        private final Set<NodeAddress> silent = ConcurrentHashMap.newKeySet();
        private final Semaphore timeOuts = new Semaphore(0);

        @Override
        public String name() {
            return "half silent";
        }

        @Override
        public Channel open(final NodeAddress node, final JobCredentials job)
                throws FetchException {
            if (silent.contains(node)) {
                timeOuts.acquireUninterruptibly();
                throw new FetchException(Reason.TIMED_OUT, node + " is silent");
            }
            return others.open(node, job);
        }

        @Override
        public void close() {
            timeOuts.release(1000);
            others.close();
        }
    }

    /** Asks silent nodes again at once; the shuffle lets them rest for a while. */
    private final class Asker implements NodeConnections.Listener {
        @Override
        public void onHttpOnly(final Node node) {
            throw new AssertionError(node.address);
        }

        @Override
        public void onFailed(final Node node, final IOException cause) {
            failures.release();
            connections.open(node);
        }
    }

    @TempDir Path localDir;

    private final HalfSilent transport = new HalfSilent();
    private final Queue<NodeAddress> opened = new ConcurrentLinkedQueue<>();
    private final Semaphore anyOpened = new Semaphore(0);
    private final Semaphore failures = new Semaphore(0);
    private final ShuffleThreads threads = new SystemThreads();
    private final ShuffleLoop loop = new ShuffleLoop(threads, failure -> {});
    private NodeConnections connections;

    private ShuffleState shuffle() {
        final TaskFixture task = new TaskFixture(1, localDir);
        return new ShuffleState(task.settings(), loop, task.host(threads), new TaskReport());
    }

    @BeforeEach
    void watch() {
        connections = new NodeConnections(shuffle(), transport, JOB, OPENERS, new Asker());
        loop.afterEach(this::noteOpened);
    }

    private void noteOpened() {
        for (Node due = connections.nextDue(); due != null; due = connections.nextDue()) {
            if (due.state() == Node.State.OPEN) {
                opened.add(due.address);
                anyOpened.release();
            }
        }
    }

    @AfterEach
    void close() {
        connections.stopOpening();
        transport.close();
        loop.close();
    }

    private void open(final NodeAddress node) {
        loop.execute(LoopMessage.START, () -> connections.open(connections.node(node)));
    }

    private void openSilent() {
        for (int i = 0; i < SILENT; i++) {
            final NodeAddress node = TaskFixture.node(i);
            transport.silent.add(node);
            open(node);
        }
    }

    @Test
    void nodesThatAnswerDoNotWaitForThoseThatDoNot() throws InterruptedException {
        openSilent();
        final NodeAddress answers = TaskFixture.node(SILENT);
        open(answers);

        anyOpened.acquire();

        assertThat(opened).containsExactly(answers);
        assertThat(failures.availablePermits()).as("all are asked still").isZero();
    }

    @Test
    void silentNodesThatAreAskedAgainHoldNobodyUp() throws InterruptedException {
        openSilent();
        for (int round = 1; round < 4; round++) {
            transport.timeOuts.release(SILENT);
            failures.acquire(SILENT);
            final NodeAddress answers = TaskFixture.node(SILENT + round);
            open(answers);
            anyOpened.acquire();
            assertThat(opened).hasSize(round).contains(answers);
        }
    }

    @Test
    void aNodeThatAnswersAgainIsOpened() throws InterruptedException {
        openSilent();
        transport.silent.clear();
        transport.timeOuts.release(SILENT);

        anyOpened.acquire(SILENT);

        assertThat(opened).hasSize(SILENT);
    }
}
