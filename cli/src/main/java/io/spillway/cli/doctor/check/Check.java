// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.io.IOException;
import java.util.List;

/** Checks one part of an installation, and leaves no change behind. Used by one thread. */
public interface Check {
    /** A short name, such as {@code memory-tier}. */
    String name();

    /**
     * Looks.
     *
     * @return what is not as it should be; empty where all is well
     * @throws IOException when it cannot be told
     */
    List<Finding> look() throws IOException;
}
