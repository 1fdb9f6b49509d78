// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.io.IOException;

/** A node did not take an output, or a part of it: the output has to be stored elsewhere. */
public final class RemoteStoreException extends IOException {
    private static final long serialVersionUID = 1L;

    private final FetchException.Reason reason;

    RemoteStoreException(final NodeAddress node, final String output, final FetchException cause) {
        super(
                node
                        + " does not take "
                        + output
                        + ": "
                        + cause.reason()
                        + ": "
                        + cause.getMessage(),
                cause);
        reason = cause.reason();
    }

    /** Why, as the node or the transport says. */
    public FetchException.Reason reason() {
        return reason;
    }
}
