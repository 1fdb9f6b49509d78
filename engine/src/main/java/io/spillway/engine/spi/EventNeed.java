// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/** What a reducer still wants to learn from the job's completion events. */
public enum EventNeed {
    /** Maps have not ended, or their sources may still be exchanged for others. */
    MAPS,
    /** The last maps have not ended: the merge waits for them. */
    LAST_MAPS,
    /** The merge has streams, and their sources answer: only a re-run would matter, later. */
    STREAMS,
    /** The merge has lost the source of a stream: it waits for a map that runs again. */
    LOST_STREAM,
    /** All that the reducer will ever read is here. */
    NOTHING;

    /** The last maps are this part of all. */
    private static final int LAST_MAPS_PART = 20;

    /** While copying, when so many of a job's maps have no source yet. */
    public static EventNeed whileCopying(final int mapsToCome, final int maps) {
        final boolean isLast = mapsToCome > 0 && mapsToCome <= Math.max(1, maps / LAST_MAPS_PART);
        return isLast ? LAST_MAPS : MAPS;
    }
}
