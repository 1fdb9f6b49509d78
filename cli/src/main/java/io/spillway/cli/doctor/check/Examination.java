// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import io.spillway.thread.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs checks at the same time, each for a bounded time. Thread-safe. */
public final class Examination {
    private final Duration limit;

    /**
     * Creates it.
     *
     * @param limit how long a check may take
     */
    public Examination(final Duration limit) {
        this.limit = limit;
    }

    /**
     * Runs checks. One that hangs or fails is a finding itself; its thread is left behind, for a
     * call into a file system that hangs cannot be ended.
     */
    public List<Finding> of(final List<Check> checks) {
        final ExecutorService threads =
                Executors.newCachedThreadPool(DaemonThreads.numbered("doctor"));
        try {
            final Map<Check, Future<List<Finding>>> looks = new LinkedHashMap<>();
            checks.forEach(check -> looks.put(check, threads.submit(check::look)));
            final long deadline = System.nanoTime() + limit.toNanos();
            final List<Finding> findings = new ArrayList<>();
            looks.forEach(
                    (check, look) ->
                            outcome(look, deadline)
                                    .forEach(finding -> findings.add(finding.by(check.name()))));
            return findings;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Finding> outcome(final Future<List<Finding>> look, final long deadline) {
        try {
            return look.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (final TimeoutException e) {
            return List.of(
                    Finding.warning(
                            "this check has not ended within " + limit.toSeconds() + " s",
                            "what it looks at hangs; so will what depends on it",
                            "look at it by hand: mostly a network file system or a name service"));
        } catch (final ExecutionException e) {
            return List.of(
                    Finding.warning(
                            "this check cannot tell: " + e.getCause(),
                            "what it looks at may be wrong",
                            "run spillway doctor as the NodeManager's user"));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
