// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;

/**
 * A run's next key, or its decoder, does not fit into the {@link HeadMemory}. The run stands where
 * it stood: it may be asked for that key again when others have given memory back.
 */
public final class HeadMemoryException extends IOException {
    private static final long serialVersionUID = 1L;

    HeadMemoryException(final String what, final int bytes, final long used, final long limit) {
        super(what + "=" + bytes + " used=" + used + " limit=" + limit + ", expected room for it");
    }
}
