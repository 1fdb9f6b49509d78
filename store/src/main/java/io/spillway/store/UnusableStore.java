// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.util.Objects;

/** A tier that was asked for and is not there: says why, so that the next one takes over. */
public final class UnusableStore implements SpillStore {
    private final String name;
    private final String reason;

    /** Creates the store. */
    public UnusableStore(final String name, final String reason) {
        this.name = Objects.requireNonNull(name, "name");
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SpillSink create(final String spill, final long expectedBytes)
            throws StoreFullException {
        throw new StoreFullException("store=" + name + " cannot be used: " + reason);
    }

    @Override
    public void close() {}
}
