// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.Sizes;
import java.util.Locale;

/**
 * A job and the hosts that it runs on. Bytes are bytes, rates are bytes a second. Errors name
 * values by the options of {@code spillway plan}. Immutable.
 *
 * @param job what is to be done
 * @param hosts that do it
 * @param costs of the work
 */
public record PlanInput(Job job, Hosts hosts, CpuCosts costs) {
    private static final long MOST_BYTES = 1L << 60;

    /**
     * A job.
     *
     * @param dataBytes input of the job
     * @param mapOutputRatio bytes of map output, as stored, for a byte of input
     * @param outputRatio bytes of the job's output for a byte of input
     * @param splitBytes input of a map
     * @param reduces number of reducers; 0 is half the slots of the hosts that compute
     * @param copies of a map output in other nodes' memory
     */
    public record Job(
            long dataBytes,
            double mapOutputRatio,
            double outputRatio,
            long splitBytes,
            int reduces,
            int copies) {
        private static final double MOST_RATIO = 1000;

        /** Checks every value. */
        public Job {
            within("--data", dataBytes, 1, MOST_BYTES);
            number("--ratio", mapOutputRatio, 0, MOST_RATIO);
            number("--output-ratio", outputRatio, 0, MOST_RATIO);
            within("--split", splitBytes, 1 << 20, MOST_BYTES);
            within("--reduces", reduces, 0, 10_000_000);
            within("--copies", copies, 1, 3);
        }

        /** Bytes of all map outputs, as stored. */
        public double mapOutputBytes() {
            return dataBytes * mapOutputRatio;
        }

        /** Bytes of the job's output. */
        public double outputBytes() {
            return dataBytes * outputRatio;
        }

        /** Number of maps. */
        public long maps() {
            return Math.max(1, (dataBytes + splitBytes - 1) / splitBytes);
        }
    }

    /**
     * Hosts, all alike.
     *
     * @param number hosts in all
     * @param cores of a host; a fraction where hosts share a machine
     * @param slots tasks at a time on a host; 0 is two a core
     * @param memoryBytes of a host
     * @param yarnBytes what YARN gives to containers on a host that computes; 0 is what its slots
     *     need
     * @param heapBytes of a task
     * @param linkRate of a host's link, each direction; infinite is no bound
     * @param diskRate of a host's own disk, reading and writing together; 0 is no disk
     * @param diskBytes free on a host's own disk
     * @param sharedRate of the shared file system from all hosts together; 0 is none
     * @param oneMachine whether all hosts are processes that share the cores of one machine
     */
    public record Hosts(
            int number,
            double cores,
            int slots,
            long memoryBytes,
            long yarnBytes,
            long heapBytes,
            double linkRate,
            double diskRate,
            double diskBytes,
            double sharedRate,
            boolean oneMachine) {
        private static final int MOST_SLOTS = 4096;
        private static final int SLOTS_PER_CORE = 2;
        private static final long BESIDE_HEAP = 256L << 20;

        /** Checks every value. */
        public Hosts {
            within("--hosts", number, 1, 100_000);
            PlanInput.number("--cores", cores, 1e-3, MOST_SLOTS);
            slots = slots == 0 ? (int) Math.max(2, SLOTS_PER_CORE * cores) : slots;
            within("--slots", slots, 1, MOST_SLOTS);
            within("--heap", heapBytes, 1 << 20, MOST_BYTES);
            within("--memory", memoryBytes, 1 << 20, MOST_BYTES);
            PlanInput.number("--link", linkRate, 1, Double.POSITIVE_INFINITY);
            PlanInput.number("--disk", diskRate, 0, Double.POSITIVE_INFINITY);
            PlanInput.number("--disk-space", diskBytes, 0, Double.POSITIVE_INFINITY);
            PlanInput.number("--shared-disk", sharedRate, 0, 1e15);
            if (diskRate == 0 && sharedRate == 0) {
                throw new BadInputException(
                        "--disk none: expected a rate, or --shared-disk beside it: input and"
                                + " output have to lie somewhere");
            }
            final long needed = slots * (heapBytes + Math.max(BESIDE_HEAP, heapBytes / 2));
            final String why =
                    yarnBytes == 0
                            ? " that " + slots + " tasks a host need; --slots, --heap"
                            : " of --yarn-memory";
            yarnBytes = yarnBytes == 0 ? needed : yarnBytes;
            if (yarnBytes >= memoryBytes) {
                throw new BadInputException(
                        "--memory "
                                + Sizes.format(memoryBytes)
                                + ": expected more than the "
                                + Sizes.format(yarnBytes)
                                + why);
            }
            within("--yarn-memory", yarnBytes, 1, MOST_BYTES);
        }

        /** Whether input and output lie on the shared file system, else on the hosts' own disks. */
        public boolean hasShared() {
            return sharedRate > 0;
        }

        /** Whether hosts have disks of their own. */
        public boolean hasDisk() {
            return diskRate > 0;
        }
    }

    /** Number of reducers, where so many hosts compute. */
    public int reducesOn(final int computing) {
        return job.reduces() > 0
                ? job.reduces()
                : Math.max(1, (int) ((long) computing * hosts.slots() / 2));
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
