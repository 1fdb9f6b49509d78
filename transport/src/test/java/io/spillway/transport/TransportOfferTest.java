// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TransportOfferTest {
    private static final TransportOffer UCX =
            new TransportOffer("ucx", new NodeAddress("10.0.0.7", 13_563));
    private static final TransportOffer MPI =
            new TransportOffer("mpi", new NodeAddress("fe80::1", 1));

    @Test
    void readsWhatItWrites() {
        assertThat(TransportOffer.format("tcp", List.of())).isEqualTo("tcp");
        assertThat(TransportOffer.format("tcp", List.of(UCX, MPI)))
                .isEqualTo("tcp,ucx=10.0.0.7:13563,mpi=fe80::1:1");
        assertThat(TransportOffer.parse("tcp")).isEmpty();
        assertThat(TransportOffer.parse("tcp,ucx=10.0.0.7:13563,mpi=fe80::1:1"))
                .containsExactly(UCX, MPI);
    }

    @Test
    void leavesOutWhatItDoesNotUnderstand() {
        assertThat(TransportOffer.parse("tcp,new,=a:1,UCX=a:1,ucx=a,ucx=a:x,ucx=a:70000,,"))
                .isEmpty();
        assertThat(TransportOffer.parse("tcp,new=?;1,ucx=10.0.0.7:13563")).containsExactly(UCX);
    }

    @Test
    void refusesANameThatCouldNotBeRead() {
        assertThatThrownBy(() -> new TransportOffer("a=b", UCX.address()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transport=a=b");
    }
}
