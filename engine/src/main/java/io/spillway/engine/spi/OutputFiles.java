// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.transport.SegmentPlace;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Where the framework wants the output of a map task to be. One thread at a time. */
public interface OutputFiles {
    /**
     * Creates the output's data in the first tier with room for it.
     *
     * @param expectedBytes the expected length
     */
    SpillSink create(long expectedBytes) throws IOException;

    /**
     * The data that {@link #create} gave is complete and becomes the output.
     *
     * @return the output: where a tier could not keep it, a copy in another
     */
    Spill finish(SortedSpill output) throws IOException;

    /**
     * Makes a finished spill the output: where it is, by renaming it, else by copying.
     *
     * @return the output
     */
    Spill adopt(SortedSpill spill) throws IOException;

    /** Makes spills the output as they are. All of them {@link #canServeInPlace}. */
    void leaveRuns(List<SortedSpill> runs) throws IOException;

    /**
     * Finds other nodes to take the output, in place of this host's tiers; asked once.
     *
     * @param expectedBytes the expected length
     * @return nothing where the output is to stay here
     */
    Optional<RemoteOutput> remote(long expectedBytes);

    /**
     * The output is at other nodes, and nothing of it here: leaves word for those who ask here.
     *
     * @param places each holds all of it
     * @param length of the output, in bytes
     */
    void leavePlaces(List<SegmentPlace> places, long length) throws IOException;

    /** Whether a spill can be served where it is. */
    boolean canServeInPlace(Spill spill);

    /** Whether the first tier that spills go to is one that they can be served from. */
    boolean servesSpillsInPlace();

    /** The bytes of the output, once there is one. */
    long length();

    /** Keeps the output when the task ends. */
    void keep() throws IOException;
}
