package io.spillway.ifile;

import java.io.IOException;

/**
 * A run's next key does not fit into the {@link HeadMemory}. The run stands where it stood: it may
 * be asked for that key again when others have given memory back.
 */
public final class HeadMemoryException extends IOException {
    private static final long serialVersionUID = 1L;

    HeadMemoryException(final int bytes, final long used, final long limit) {
        super("key=" + bytes + " used=" + used + " limit=" + limit + ", expected room for the key");
    }
}
