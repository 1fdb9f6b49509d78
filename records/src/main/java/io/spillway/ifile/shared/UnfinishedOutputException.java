// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import java.io.IOException;

/**
 * A file does not end with a valid trailer: its map has not finished it, or the host of the map
 * went down before all was written, or this host sees an old state of the file.
 */
public final class UnfinishedOutputException extends IOException {
    private static final long serialVersionUID = 1L;

    UnfinishedOutputException(final String message) {
        super(message);
    }
}
