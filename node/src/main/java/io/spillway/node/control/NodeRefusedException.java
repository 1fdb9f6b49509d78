// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import java.io.IOException;

/** The node process answers, and does not give what it was asked for; the message says why. */
public final class NodeRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    NodeRefusedException(final String message) {
        super(message);
    }
}
