// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/** Collects what a plan needs. */
final class PlanInputBuilder {
    private static final long DEFAULT_SPLIT = 256L << 20;

    private static final long DEFAULT_HEAP = 1L << 30;

    private long data;
    private double ratio = 1;
    private double output = -1;
    private long split = DEFAULT_SPLIT;
    private int reduces;
    private int copies = 1;
    private int hosts;
    private double cores;
    private int slots;
    private long memory;
    private long yarn;
    private long heap = DEFAULT_HEAP;
    private double link = Double.POSITIVE_INFINITY;
    private double disk;
    private double diskSpace = Double.POSITIVE_INFINITY;
    private double shared;
    private boolean oneMachine;
    private CpuCosts costs;

    PlanInputBuilder data(final long bytes) {
        data = bytes;
        return this;
    }

    PlanInputBuilder ratio(final double value) {
        ratio = value;
        return this;
    }

    PlanInputBuilder output(final double value) {
        output = value;
        return this;
    }

    PlanInputBuilder split(final long bytes) {
        split = bytes;
        return this;
    }

    PlanInputBuilder reduces(final int number) {
        reduces = number;
        return this;
    }

    PlanInputBuilder copies(final int number) {
        copies = number;
        return this;
    }

    PlanInputBuilder hosts(final int number) {
        hosts = number;
        return this;
    }

    PlanInputBuilder cores(final double number) {
        cores = number;
        return this;
    }

    PlanInputBuilder slots(final int number) {
        slots = number;
        return this;
    }

    PlanInputBuilder memory(final long bytes) {
        memory = bytes;
        return this;
    }

    PlanInputBuilder yarn(final long bytes) {
        yarn = bytes;
        return this;
    }

    PlanInputBuilder heap(final long bytes) {
        heap = bytes;
        return this;
    }

    PlanInputBuilder link(final double rate) {
        link = rate;
        return this;
    }

    PlanInputBuilder disk(final double rate) {
        disk = rate;
        return this;
    }

    PlanInputBuilder diskSpace(final double bytes) {
        diskSpace = bytes;
        return this;
    }

    PlanInputBuilder shared(final double rate) {
        shared = rate;
        return this;
    }

    PlanInputBuilder oneMachine(final boolean value) {
        oneMachine = value;
        return this;
    }

    PlanInputBuilder costs(final CpuCosts value) {
        costs = value;
        return this;
    }

    /** All of it. */
    PlanInput build() {
        return new PlanInput(
                new PlanInput.Job(data, ratio, output < 0 ? ratio : output, split, reduces, copies),
                new PlanInput.Hosts(
                        hosts,
                        cores,
                        slots,
                        memory,
                        yarn,
                        heap,
                        link,
                        disk,
                        diskSpace,
                        shared,
                        oneMachine),
                costs);
    }
}
