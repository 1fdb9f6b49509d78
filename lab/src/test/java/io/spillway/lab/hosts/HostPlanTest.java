// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostPlanTest {
    @Test
    void namesAndAddressesAreOfOneSubnet() {
        final HostPlan plan = new HostPlan(2, 0);

        assertThat(plan.hostsFile())
                .isEqualTo(
                        """
                        127.0.0.1 localhost
                        ::1 localhost
                        10.128.0.254 master
                        10.128.0.1 host1
                        10.128.0.2 host2
                        """);
        assertThat(new HostPlan(1, HostPlan.SUBNETS - 1).address(0)).isEqualTo("10.255.255.1");
    }

    @Test
    void noTwoRunsShareASubnetWhileTheirProcessIdsDiffer() {
        final Set<String> seen = new HashSet<>();
        for (long pid = 40_000; pid < 40_000 + HostPlan.SUBNETS; pid++) {
            final String master = HostPlan.of(3, pid).masterAddress();
            assertThat(seen.add(master)).isTrue();
            assertThat(master).startsWith("10.").endsWith(".254");
            assertThat(Integer.parseInt(master.split("\\.", -1)[1])).isBetween(128, 255);
        }
    }

    @Test
    void asManyHostsAsAClusterMayHaveFitBesideTheMaster() {
        final HostPlan plan = new HostPlan(HostPlan.MOST_HOSTS, 7);
        final Set<String> addresses = new HashSet<>(Set.of(plan.masterAddress()));
        for (int host = 0; host < plan.hosts(); host++) {
            assertThat(addresses.add(plan.address(host))).isTrue();
        }

        assertThatThrownBy(() -> new HostPlan(0, 0)).hasMessage("hosts=0 subnet=0");
        assertThatThrownBy(() -> new HostPlan(HostPlan.MOST_HOSTS + 1, 0))
                .hasMessageContaining("hosts=65");
        assertThatThrownBy(() -> new HostPlan(1, HostPlan.SUBNETS))
                .hasMessageContaining("subnet=32768");
    }
}
