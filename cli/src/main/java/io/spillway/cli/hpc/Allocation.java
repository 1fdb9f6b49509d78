// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import java.util.List;

/** The hosts that a batch system has given, and how commands come onto them. Thread-safe. */
interface Allocation {
    /** A name that no other allocation of the user has at this time; a part of file names. */
    String id();

    /** Its hosts; the one that the job's script runs on comes first. */
    List<String> hosts();

    /**
     * The commands, to be run here, that together run one command on each host, and live as long as
     * it does. The host's name is added to its arguments where it could not know it.
     */
    List<List<String>> onEach(List<String> command);

    /** Sends SIGTERM to what {@link #onEach} has started to serve a session. */
    void terminate(SessionFolder session);

    /** Whether any of that still lives. */
    boolean isServing(SessionFolder session);
}
