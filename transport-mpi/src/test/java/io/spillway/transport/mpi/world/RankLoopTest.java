// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.mpi.library.MpiException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** What the thread of a rank does when MPI fails again and again. */
final class RankLoopTest {
    private static final int FAILURES = 200;

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private RankLoop loop;

    @AfterEach
    void stop() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Keeps what is logged, with its level. */
    private Logger log() {
        return (Logger)
                Proxy.newProxyInstance(
                        RankLoopTest.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (proxy, method, arguments) -> {
                            lines.add(method.getName() + " " + arguments[1]);
                            return null;
                        });
    }

    @Test
    void aFailureThatStaysIsLoggedAFewTimesOnly() throws Exception {
        final CountDownLatch failures = new CountDownLatch(FAILURES);
        loop = new RankLoop(log());
        loop.take(
                new RankLoop.Duty() {
                    @Override
                    public boolean work() throws IOException {
                        failures.countDown();
                        throw new MpiException("MPI_Testsome failed");
                    }

                    @Override
                    public boolean isExpecting() {
                        return true;
                    }

                    @Override
                    public void end() {}
                });
        loop.execute(() -> {});

        assertThat(failures.await(1, TimeUnit.MINUTES)).isTrue();
        final List<String> warnings =
                lines.stream().filter(line -> line.startsWith("warn")).toList();
        assertThat(warnings).hasSizeBetween(1, 20);
        assertThat(warnings.get(0)).contains("MPI_Testsome failed");
        assertThat(lines).noneMatch(line -> line.startsWith("error"));
    }
}
