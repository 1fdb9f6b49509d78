// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.io.IOException;

/**
 * Whether a node has an output as a whole cannot be found out: the attempt has to fail. To store
 * the output elsewhere too would give reducers two outputs of one attempt, which may differ.
 */
public final class UnclearCommitException extends IOException {
    private static final long serialVersionUID = 1L;

    UnclearCommitException(
            final NodeAddress node, final String output, final FetchException cause) {
        super(
                node
                        + " does not say whether it has "
                        + output
                        + ": "
                        + cause.reason()
                        + ": "
                        + cause.getMessage()
                        + "; this attempt fails, and another one takes its place",
                cause);
    }
}
