// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

/** Shows a person how far long things are. */
public interface Monitor {
    /** Shows nothing. */
    Monitor NONE = (name, total) -> new Task() {};

    /** Begins something of so many steps. */
    Task begin(String name, long total);

    /** Something that takes long. Closing it ends its display. */
    interface Task extends AutoCloseable {
        /** So many steps are done. */
        default void at(final long done, final String detail) {}

        /** All is done. */
        default void done(final String detail) {}

        @Override
        default void close() {}
    }
}
