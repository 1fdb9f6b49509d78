// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import java.io.IOException;

/** Shows the framework how far the copy phase is. Called by the loop's thread, but {@link #end}. */
public interface CopyProgress {
    /** A request goes out. */
    void began(long nowNanos);

    /** A request has ended, and has brought {@code bytes}. */
    void ended(long bytes, long nowNanos);

    /** So many maps need no more fetching. */
    void copied(int done, long nowNanos);

    /**
     * The copy phase is over, and the merge begins. Called by the task thread, once.
     *
     * @throws IOException when the framework cannot be reached
     */
    void end() throws IOException;
}
