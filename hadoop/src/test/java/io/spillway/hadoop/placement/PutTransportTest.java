// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.Transports;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.ChoosingTransport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PutTransportTest {
    @TempDir private Path folder;
    private final AtomicInteger searches = new AtomicInteger();

    private List<TransportProvider> providers() {
        searches.incrementAndGet();
        return Transports.all();
    }

    private Class<? extends Transport> chosen(final String wanted) {
        final Map<String, String> settings =
                Map.of(
                        "spillway.transport",
                        wanted,
                        "spillway.mpi.socket",
                        folder.resolve("mpi.sock").toString());
        try (Transport transport = PutTransport.of(this::providers, settings::get)) {
            return transport.getClass();
        }
    }

    @Test
    void withoutARankNoOtherTransportIsLookedFor() {
        assertThat(chosen("tcp")).isEqualTo(TcpTransport.class);
        assertThat(chosen("auto")).isEqualTo(TcpTransport.class);
        assertThat(searches).hasValue(0);
    }

    @Test
    void whatBringsPutsOverTcpIsNotStarted() {
        assertThat(chosen("ucx")).isEqualTo(TcpTransport.class);
    }

    @Test
    void mpiIsChosenByNodeWhereItIsAskedForOrTheHostHasARank() throws Exception {
        assertThat(chosen("mpi")).isEqualTo(ChoosingTransport.class);
        Files.createFile(folder.resolve("mpi.sock"));
        assertThat(chosen("auto")).isEqualTo(ChoosingTransport.class);
        assertThat(chosen("tcp")).isEqualTo(TcpTransport.class);
    }
}
