// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MpiAddressTest {
    private static final long WORLD = 0xf00dL;

    @Test
    void isAnAddressOfANode() {
        final MpiAddress first = new MpiAddress(WORLD, 0, 3);
        assertThat(first).hasToString("000000000000f00d:3");
        assertThat(MpiAddress.of(first.toNodeAddress())).contains(first);
        final MpiAddress other = new MpiAddress(-1, 12, 65_535);
        assertThat(other).hasToString("ffffffffffffffff-12:65535");
        assertThat(MpiAddress.of(other.toNodeAddress())).contains(other);
        assertThat(first).isNotEqualTo(other).isNotEqualTo(new MpiAddress(WORLD, 1, 3));
    }

    @Test
    void travelsInOffers() {
        final TransportOffer offer =
                new TransportOffer("mpi", new MpiAddress(WORLD, 0, 3).toNodeAddress());
        assertThat(TransportOffer.parse(TransportOffer.format("tcp", List.of(offer))))
                .containsExactly(offer);
    }

    @Test
    void isNoOtherAddress() {
        for (final String host :
                List.of("node7", "f00d", "000000000000f00d-0", "000000000000f00d-x", "")) {
            assertThat(MpiAddress.of(new NodeAddress(host, 3))).isEmpty();
        }
    }
}
