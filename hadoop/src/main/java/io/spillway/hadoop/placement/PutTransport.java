// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.placement;

import io.spillway.conf.Setting;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.ChoosingTransport;
import io.spillway.transport.choice.TransportKeys;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.mpi.RankSocket;
import io.spillway.transport.tcp.TcpTransport;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** What a map puts its output with. */
final class PutTransport {
    private PutTransport() {}

    /**
     * Makes the transport: tcp, and those that carry puts another way where the job asks for one,
     * or this host has a rank of an MPI world. Other transports bring puts over tcp anyway.
     *
     * @param providers of all transports; looked for where one of them may be used
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    static Transport of(
            final Supplier<List<TransportProvider>> providers,
            final Function<String, String> settings) {
        final String wanted = TransportKeys.TRANSPORT.get(settings);
        final boolean automatic = wanted.equals(Setting.AUTO);
        if (wanted.equals(TcpTransport.NAME)
                || (automatic && !Files.exists(RankSocket.of(settings)))) {
            return new TcpTransport(settings);
        }
        final List<TransportProvider> carrying =
                providers.get().stream().filter(TransportProvider::carriesPuts).toList();
        if (!automatic && carrying.stream().noneMatch(known -> known.name().equals(wanted))) {
            return new TcpTransport(settings);
        }
        return new ChoosingTransport(new TcpTransport(settings), carrying, settings);
    }
}
