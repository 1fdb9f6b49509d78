// SPDX-License-Identifier: Apache-2.0
package io.spillway.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    @Test
    void aProcessDoesNotWaitForThem() {
        final Thread thread = DaemonThreads.of("name", () -> {});

        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("name");
        assertThat(thread.getState()).isEqualTo(Thread.State.NEW);
    }

    @Test
    void threadsOfAPoolAreNumbered() {
        final ThreadFactory threads = DaemonThreads.numbered("pool");

        assertThat(threads.newThread(() -> {}).getName()).isEqualTo("pool-0");
        assertThat(threads.newThread(() -> {}).getName()).isEqualTo("pool-1");
    }
}
