// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.netty.handler.ssl.NotSslRecordException;
import io.spillway.protocol.TlsFloor;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;

/** Says why there is no session of TLS with a shuffle port, and what to do. */
public final class TlsFailure {
    /** The JDK's words for {@link NotSslRecordException}. */
    private static final String NO_TLS = "Unsupported or unrecognized SSL message";

    private TlsFailure() {}

    /** What a hand-shake of TLS has failed with. */
    public static FetchException of(final NodeAddress address, final Throwable cause) {
        if (cause instanceof NotSslRecordException || NO_TLS.equals(cause.getMessage())) {
            return new FetchException(
                    Reason.UNAUTHORIZED,
                    address
                            + ": "
                            + TlsFloor.ENABLED
                            + "=true in this job, but false on the node, which answers without"
                            + " TLS: set it to the same value on all NodeManagers and in jobs, and"
                            + " restart the NodeManagers",
                    cause);
        }
        if (!(cause instanceof SSLException)
                || cause.getCause() instanceof ClosedChannelException) {
            return new FetchException(
                    Reason.DISCONNECTED,
                    address + ": the connection ended during the TLS hand-shake",
                    cause);
        }
        return new FetchException(
                Reason.UNAUTHORIZED,
                address
                        + ": no TLS session: "
                        + cause.getMessage()
                        + "; expected a certificate that the trust store of ssl-client.xml"
                        + " (ssl.client.truststore.location) trusts, and one of"
                        + " hadoop.ssl.enabled.protocols on both sides",
                cause);
    }
}
