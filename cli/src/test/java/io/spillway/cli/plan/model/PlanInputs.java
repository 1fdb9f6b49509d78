// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/** Inputs for tests: a cluster of ordinary hosts, with costs that are easy to add up. */
final class PlanInputs {
    static final long GIB = 1L << 30;

    private PlanInputs() {}

    /** Costs of no machine, in round numbers. */
    static CpuCosts costs() {
        return new CpuCosts(8, 5, 1, 0.5, 0.25, 2, 3, "a test");
    }

    /** 32 hosts with 16 cores and 64 GiB, 10 Gbit/s, a disk of 500 MB/s. */
    static PlanInputBuilder cluster() {
        return new PlanInputBuilder()
                .data(1024 * GIB)
                .ratio(1)
                .hosts(32)
                .cores(16)
                .slots(16)
                .memory(64 * GIB)
                .link(1.25e9)
                .disk(5e8)
                .costs(costs());
    }
}
