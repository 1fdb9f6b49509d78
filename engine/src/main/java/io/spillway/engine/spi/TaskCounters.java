// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/** The framework's counters of a reduce task. Thread-safe. */
public interface TaskCounters {
    /** A map's output has been fetched as far as the merge needs it. */
    void mapShuffled();

    /** So many bytes go into the merge. */
    void bytesShuffled(long bytes);

    /** The outputs of so many maps are merged. */
    void outputsMerged(long count);

    /** A fetch has failed. */
    void fetchFailed();

    /** How many fetches have failed. */
    long failedFetches();

    /** A fetch has failed in this way. */
    void failed(ShuffleError error);
}
