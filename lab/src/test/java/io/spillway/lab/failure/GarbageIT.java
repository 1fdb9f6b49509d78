// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.host.ListeningPorts;
import io.spillway.report.ShuffleCounter;
import io.spillway.seed.TestSeed;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Strangers who send garbage to every port of a NodeManager's handler and of its node process,
 * while a job's reducers fetch from both.
 */
class GarbageIT extends NodeProcessScenario {
    private static final long DURATION_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Strangers who stay a while. */
    private static final int MOST_OPEN = 100;

    /** Connections to Hadoop, to files of the job and the like come and go. */
    private static final int FILES_MORE = 40;

    /** Most lines about strangers: what is alike is logged a few times a minute. */
    private static final int LOG_LINES = 400;

    private long sent;

    GarbageIT(final FailureSite site) {
        super(site);
    }

    @Test
    void garbageAtEveryPortHarmsNoJob() throws Exception {
        final long seed = TestSeed.fresh(GarbageIT.class);
        try (RunningJob job = node.startJob()) {
            final long pid = node.pid();
            final int files = openFiles(pid);
            final int logged = warnings();

            harass(addresses(pid), new Garbage(seed, job.id()));

            assertThat(node.pid()).as("the node process, after %s attacks", sent).isEqualTo(pid);
            job.await("strangers' files closed", () -> openFiles(pid) < files + FILES_MORE);
            assertThat(warnings()).isLessThan(logged + LOG_LINES);
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            Figures.assertNothingLost(figures);
            assertThat(site.cluster().status().isComplete()).isTrue();
        }
    }

    /** All but those of Hadoop's handler for HTTP, which logs every wrong request. */
    private int warnings() {
        return (int)
                site.nodeLogLines(SiteNodeProcess.NODE, " WARN ").stream()
                        .filter(line -> !line.contains(" ShuffleHandler: "))
                        .count();
    }

    /** The shuffle port, every port of the node process, and its Unix socket. */
    private List<SocketAddress> addresses(final long pid) throws IOException {
        final List<SocketAddress> addresses = new ArrayList<>(ListeningPorts.of(pid));
        assertThat(addresses).as("ports of the node process").isNotEmpty();
        final int shuffle = site.cluster().shufflePort(SiteNodeProcess.NODE);
        addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), shuffle));
        addresses.add(UnixDomainSocketAddress.of(site.cluster().nodeSocket()));
        return addresses;
    }

    private void harass(final List<SocketAddress> addresses, final Garbage garbage)
            throws IOException {
        final long end = System.nanoTime() + DURATION_NANOS;
        final Deque<Closeable> open = new ArrayDeque<>();
        while (System.nanoTime() < end) {
            final SocketChannel stranger =
                    SocketChannel.open(addresses.get(garbage.draw(addresses.size())));
            open.add(stranger);
            send(stranger, garbage.next());
            sent++;
            if (garbage.draw(10) > 0 || open.size() > MOST_OPEN) {
                open.remove().close();
            }
        }
        for (final Closeable stranger : open) {
            stranger.close();
        }
    }

    /** As far as it is taken: a server need not read garbage to its end. */
    private static void send(final SocketChannel stranger, final byte[] bytes) throws IOException {
        stranger.configureBlocking(false);
        try {
            stranger.write(ByteBuffer.wrap(bytes));
        } catch (final IOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
        }
    }

    private static int openFiles(final long pid) {
        final String[] files = new File("/proc/" + pid + "/fd").list();
        return files == null ? Integer.MAX_VALUE : files.length;
    }
}
