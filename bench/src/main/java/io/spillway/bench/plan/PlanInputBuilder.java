package io.spillway.bench.plan;

import io.spillway.bench.BadInputException;
import io.spillway.conf.Sizes;
import java.util.Locale;
import java.util.Objects;

/**
 * Collects what a plan needs, and checks it. Errors name values by the options of {@code spillway
 * plan}. Not thread-safe.
 */
public final class PlanInputBuilder {
    /** Input of a map where nothing else is said: a block as many sites have it. */
    public static final long DEFAULT_SPLIT = 256L << 20;

    /** A task's heap where nothing else is said. */
    public static final long DEFAULT_HEAP = 1L << 30;

    private static final long MOST_BYTES = 1L << 60;
    private static final int MOST_HOSTS = 100_000;
    private static final int MOST_SLOTS = 4096;
    private static final int MOST_COPIES = 3;
    private static final int MOST_REDUCES = 10_000_000;
    private static final double MOST_RATIO = 1000;
    private static final double MOST_RATE = 1e15;
    private static final long BESIDE_HEAP = 256L << 20;
    private static final int SLOTS_PER_CORE = 2;

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

    /** Bytes of input. */
    public PlanInputBuilder data(final long bytes) {
        data = bytes;
        return this;
    }

    /** Bytes of map output for a byte of input. */
    public PlanInputBuilder ratio(final double value) {
        ratio = value;
        return this;
    }

    /** Bytes of the job's output for a byte of input; as much as the map output by default. */
    public PlanInputBuilder output(final double value) {
        output = value;
        return this;
    }

    /** Bytes of input of a map. */
    public PlanInputBuilder split(final long bytes) {
        split = bytes;
        return this;
    }

    /** Number of reducers; 0 is half the slots. */
    public PlanInputBuilder reduces(final int number) {
        reduces = number;
        return this;
    }

    /** Copies of an output in other nodes' memory. */
    public PlanInputBuilder copies(final int number) {
        copies = number;
        return this;
    }

    /** Hosts in all. */
    public PlanInputBuilder hosts(final int number) {
        hosts = number;
        return this;
    }

    /** Cores of a host. */
    public PlanInputBuilder cores(final double number) {
        cores = number;
        return this;
    }

    /** Tasks at a time on a host; 0 is two a core. */
    public PlanInputBuilder slots(final int number) {
        slots = number;
        return this;
    }

    /** Memory of a host. */
    public PlanInputBuilder memory(final long bytes) {
        memory = bytes;
        return this;
    }

    /** What YARN gives to containers on a host; 0 is what its slots need. */
    public PlanInputBuilder yarn(final long bytes) {
        yarn = bytes;
        return this;
    }

    /** A task's heap. */
    public PlanInputBuilder heap(final long bytes) {
        heap = bytes;
        return this;
    }

    /** Bytes a second of a host's link, each direction. */
    public PlanInputBuilder link(final double rate) {
        link = rate;
        return this;
    }

    /** Bytes a second of a host's disk; 0 is none. */
    public PlanInputBuilder disk(final double rate) {
        disk = rate;
        return this;
    }

    /** Free bytes of a host's disk. */
    public PlanInputBuilder diskSpace(final double bytes) {
        diskSpace = bytes;
        return this;
    }

    /** Bytes a second of the shared file system; 0 is none. */
    public PlanInputBuilder shared(final double rate) {
        shared = rate;
        return this;
    }

    /** Whether all hosts are processes of one machine. */
    public PlanInputBuilder oneMachine(final boolean value) {
        oneMachine = value;
        return this;
    }

    /** What work costs. */
    public PlanInputBuilder costs(final CpuCosts value) {
        costs = value;
        return this;
    }

    /**
     * Checks all.
     *
     * @throws BadInputException which names the option, its value and what was expected
     */
    public PlanInput build() {
        within("--data", data, 1, MOST_BYTES);
        number("--ratio", ratio, 0, MOST_RATIO);
        final double written = output < 0 ? ratio : output;
        number("--output-ratio", written, 0, MOST_RATIO);
        within("--split", split, 1 << 20, MOST_BYTES);
        within("--reduces", reduces, 0, MOST_REDUCES);
        within("--copies", copies, 1, MOST_COPIES);
        within("--hosts", hosts, 1, MOST_HOSTS);
        number("--cores", cores, 1e-3, MOST_SLOTS);
        final int tasks = slots == 0 ? (int) Math.max(2, SLOTS_PER_CORE * cores) : slots;
        within("--slots", tasks, 1, MOST_SLOTS);
        within("--heap", heap, 1 << 20, MOST_BYTES);
        within("--memory", memory, 1 << 20, MOST_BYTES);
        number("--link", link, 1, Double.POSITIVE_INFINITY);
        requireDisks();
        return new PlanInput(
                data,
                ratio,
                written,
                split,
                reduces,
                copies,
                hosts,
                cores,
                tasks,
                memory,
                yarnOf(tasks),
                heap,
                link,
                disk,
                diskSpace,
                shared,
                oneMachine,
                Objects.requireNonNull(costs, "costs"));
    }

    private void requireDisks() {
        number("--disk", disk, 0, Double.POSITIVE_INFINITY);
        number("--disk-space", diskSpace, 0, Double.POSITIVE_INFINITY);
        number("--shared-disk", shared, 0, MOST_RATE);
        if (disk == 0 && shared == 0) {
            throw new BadInputException(
                    "--disk none: expected a rate, or --shared-disk beside it: input and output"
                            + " have to lie somewhere");
        }
    }

    private long yarnOf(final int tasks) {
        final long needed = tasks * (heap + Math.max(BESIDE_HEAP, heap / 2));
        final long taken = yarn == 0 ? needed : yarn;
        if (taken >= memory) {
            throw new BadInputException(
                    "--memory "
                            + Sizes.format(memory)
                            + ": expected more than the "
                            + Sizes.format(taken)
                            + (yarn == 0
                                    ? " that " + tasks + " tasks a host need; --slots, --heap"
                                    : " of --yarn-memory"));
        }
        within("--yarn-memory", taken, 1, MOST_BYTES);
        return taken;
    }

    private static void within(
            final String option, final long value, final long least, final long most) {
        if (value < least || value > most) {
            throw new BadInputException(
                    option + " " + value + ": expected " + least + " to " + most);
        }
    }

    private static void number(
            final String option, final double value, final double least, final double most) {
        if (!(value >= least && value <= most)) {
            throw new BadInputException(
                    String.format(
                            Locale.ROOT,
                            "%s %s: expected %s",
                            option,
                            value,
                            Double.isInfinite(most) ? "at least " + least : least + " to " + most));
        }
    }
}
