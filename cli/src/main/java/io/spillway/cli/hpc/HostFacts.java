// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.CommandException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one host of an allocation has, as {@code spillway-hpc-host facts} prints it.
 *
 * @param name in the allocation
 * @param address in the network of the data: a name or an IPv4 address
 * @param cores of the allocation
 * @param memoryMb of the allocation, in MiB
 * @param busyPorts at which somebody listens
 */
record HostFacts(String name, String address, int cores, long memoryMb, Set<Integer> busyPorts) {
    private static final String MARK = "spillway-host ";
    private static final int FIELDS = 4;

    HostFacts {
        busyPorts = Set.copyOf(busyPorts);
    }

    /** Reads a line; empty where it is another program's. */
    static Optional<HostFacts> parse(final String line) {
        if (!line.startsWith(MARK)) {
            return Optional.empty();
        }
        final String[] fields = line.substring(MARK.length()).trim().split(" +", -1);
        if (fields.length < FIELDS) {
            throw new CommandException("facts of a host: expected " + FIELDS + " fields: " + line);
        }
        return Optional.of(
                new HostFacts(
                        fields[0],
                        fields[1],
                        Integer.parseInt(fields[2]),
                        Long.parseLong(fields[3]),
                        fields.length == FIELDS ? Set.of() : ports(fields[FIELDS])));
    }

    private static Set<Integer> ports(final String list) {
        return Arrays.stream(list.split(",", -1)).map(Integer::valueOf).collect(Collectors.toSet());
    }
}
