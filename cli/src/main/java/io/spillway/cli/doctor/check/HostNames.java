// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.util.List;

/** Names hosts in a line, however many they are. */
public final class HostNames {
    private static final int MOST = 4;

    private HostNames() {}

    /** Names the first hosts, and counts the others. */
    public static String of(final List<String> hosts) {
        return hosts.size() <= MOST
                ? String.join(", ", hosts)
                : String.join(", ", hosts.subList(0, MOST))
                        + " and "
                        + (hosts.size() - MOST)
                        + " more";
    }
}
