// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

/** How much a command prints; the whole command line's object is one. */
public interface Verbosity {
    /** Whether only results and errors are shown, no progress. */
    boolean isQuiet();
}
