// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The names and addresses of emulated hosts: a subnet of 254 addresses, and a file that knows all
 * names. Immutable.
 *
 * @param hosts how many hosts have a NodeManager; the master is one more
 * @param subnet which of the {@link #SUBNETS} subnets of 10.128.0.0/9
 */
public record HostPlan(int hosts, int subnet) {
    /** The host of the daemons that a cluster has one of, and of its clients. */
    public static final String MASTER = "master";

    /** The most hosts that a cluster may have. */
    public static final int MOST_HOSTS = 64;

    static final int SUBNETS = 1 << 15;
    static final int PREFIX_BITS = 24;

    private static final int FIRST_SUBNET = 10 << 24 | 128 << 16;
    private static final int MASTER_NUMBER = 254;

    /** Checks the range of both. */
    public HostPlan {
        if (hosts < 1 || hosts > MOST_HOSTS || subnet < 0 || subnet >= SUBNETS) {
            throw new IllegalArgumentException("hosts=" + hosts + " subnet=" + subnet);
        }
    }

    /** Hosts in the subnet of a process: no two living ones with ids below 32768 have the same. */
    public static HostPlan of(final int hosts, final long pid) {
        return new HostPlan(hosts, (int) (pid % SUBNETS));
    }

    /** The name of a host, counted from 0. */
    public String host(final int index) {
        return "host" + (index + 1);
    }

    /** The address of a host, counted from 0. */
    public String address(final int index) {
        return dotted(index + 1);
    }

    /** The address of the master, and of the bridge. */
    public String masterAddress() {
        return dotted(MASTER_NUMBER);
    }

    private String dotted(final int number) {
        final int address = FIRST_SUBNET + (subnet << (Integer.SIZE - PREFIX_BITS)) + number;
        return String.format(
                Locale.ROOT,
                "%d.%d.%d.%d",
                address >>> 24,
                address >>> 16 & 0xFF,
                address >>> 8 & 0xFF,
                address & 0xFF);
    }

    /** What stands for {@code /etc/hosts}. */
    String hostsFile() {
        final StringBuilder text = new StringBuilder("127.0.0.1 localhost\n::1 localhost\n");
        text.append(masterAddress()).append(' ').append(MASTER).append('\n');
        IntStream.range(0, hosts)
                .forEach(i -> text.append(address(i)).append(' ').append(host(i)).append('\n'));
        return text.toString();
    }
}
