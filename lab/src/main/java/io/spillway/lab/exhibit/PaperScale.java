// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.spillway.cli.option.RateConverter;
import io.spillway.cli.plan.model.PlanInput;
import io.spillway.conf.Sizes;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The hosts that a paper measured on, as the model of {@code spillway plan} takes them. What a
 * paper does not say is assumed. Immutable.
 *
 * @param values by name, as the options of {@code plan} take them: hosts that run tasks;
 *     memory-nodes beside them; with-nodes, whether systems without memory nodes run tasks on those
 *     too; cores, slots and memory of a host; reduces and split of a job; sockets and rdma, the
 *     rates of a host's link; disk, the rate of its own disks; shared, that of the shared file
 *     system which has the data
 */
public record PaperScale(Map<String, String> values) {
    static final PaperScale NOTHING = new PaperScale(Map.of());

    private static final long HEAP_BYTES = 1L << 30;
    private static final RateConverter RATES = new RateConverter();

    /** Copies what is mutable. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public PaperScale {
        values = Map.copyOf(values);
    }

    /** Returns this scale, with the other one's values where it has any. */
    PaperScale with(final PaperScale other) {
        final Map<String, String> all = new TreeMap<>(values);
        all.putAll(other.values);
        return new PaperScale(all);
    }

    private String text(final String name) {
        return Objects.requireNonNull(values.get(name), name);
    }

    private int number(final String name) {
        return Integer.parseInt(values.getOrDefault(name, "0"));
    }

    private double rate(final String name) {
        return values.containsKey(name) ? RATES.convert(values.get(name)) : 0;
    }

    /** Hosts that run tasks where the system has memory nodes. */
    int hosts() {
        return number("hosts");
    }

    /** Memory nodes of systems that have them. */
    int memoryNodes() {
        return number("memory-nodes");
    }

    /** Reducers of a job; 0 is half the slots. */
    int reduces() {
        return number("reduces");
    }

    /** Input of a map, bytes. */
    long splitBytes() {
        return Sizes.parse(text("split"));
    }

    /** Whether a shared file system has the data. */
    boolean hasShared() {
        return values.containsKey("shared");
    }

    /** Hosts that run tasks where the system has no memory nodes. */
    int computing() {
        return hosts() + (Boolean.parseBoolean(values.get("with-nodes")) ? memoryNodes() : 0);
    }

    /**
     * Returns the hosts as the model takes them.
     *
     * @param number of hosts in all
     * @param bySockets whether data goes over sockets
     * @param hasDisk whether hosts have disks of their own
     */
    PlanInput.Hosts planned(final int number, final boolean bySockets, final boolean hasDisk) {
        return new PlanInput.Hosts(
                number,
                number("cores"),
                number("slots"),
                Sizes.parse(text("memory")),
                0,
                HEAP_BYTES,
                rate(bySockets ? "sockets" : "rdma"),
                hasDisk ? rate("disk") : 0,
                Double.POSITIVE_INFINITY,
                rate("shared"),
                false);
    }

    /** Returns the hosts in words. */
    String words() {
        return computing()
                + " hosts of "
                + text("cores")
                + " cores, "
                + text("slots")
                + " slots and "
                + text("memory")
                + (memoryNodes() == 0 ? "" : ", " + memoryNodes() + " of memory nodes at most")
                + "; links of "
                + text("sockets")
                + " (sockets) and "
                + text("rdma")
                + " (RDMA, MPI); own disks of "
                + text("disk")
                + (hasShared() ? "; shared file system of " + text("shared") : "");
    }
}
