// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.conf.TransportName;

/** The name by which settings demand that outputs are read through a shared file system. */
public final class SharedFileSystem implements TransportName {
    /** The name. */
    public static final String NAME = "sharedfs";

    /** For {@link java.util.ServiceLoader}. */
    public SharedFileSystem() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isServed() {
        return false;
    }
}
