// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

/**
 * All messages to the loop's thread, by who sends them. What one does is its sender's; that a
 * message runs, and which, is in the log of a shuffle that fails or hangs.
 */
public enum LoopMessage {
    // ---- the task thread ----

    /** The shuffle starts. */
    START,
    /** The merge has used up a chunk of a stream. */
    CHUNK_CONSUMED,
    /** The merge has used up a chunk of what was merged in memory. */
    MERGED_CHUNK_CONSUMED,

    // ---- the framework's events ----

    /** Outputs are ready, withdrawn, or will never be. */
    OUTPUT_EVENTS,

    // ---- threads that open channels, and the transport's ----

    /** A channel to a node is open. */
    CHANNEL_OPENED,
    /** No channel to a node could be opened. */
    OPENING_FAILED,
    /** A piece of a segment has come, or will not. */
    PIECE_ANSWERED,
    /** A piece has come that is compared with what was merged, or it will not. */
    COMPARED_PIECE_ANSWERED,

    // ---- the thread that asks where outputs are ----

    /** Where the outputs of a node that cannot be reached are, as far as it is known. */
    PLACES_FOUND,

    // ---- threads that fetch whole segments in the framework's own way ----

    /** A whole segment is about to come: where to? */
    WHOLE_PLACE,
    /** A whole segment has come. */
    WHOLE_FETCHED,
    /** A whole segment will not come. */
    WHOLE_FAILED,
    /** A node does not answer, or not now, or has answered all. */
    WHOLE_NODE_ANSWERED,
    /** A request's thread has ended. */
    WHOLE_REQUEST_ENDED,

    // ---- the merging thread ----

    /** A merge in memory has ended. */
    MERGE_ENDED,

    // ---- the loop itself, later ----

    /** Complete segments may be merged in memory. */
    MERGE_DUE,
    /** No map runs any more: the merge waits for heads only. */
    HEADS_DO,
    /** An attempt of a map has rested. */
    ATTEMPT_RESTED,
    /** A node does not answer for long when a channel is to be opened. */
    OPENING_TAKES_LONG,
    /** A node has rested. */
    NODE_RESTED,
    /** A stream whose request was refused has rested. */
    STREAM_RESTED,
    /** The node of an attempt that is compared is asked again. */
    COMPARE_AGAIN,
    /** A look for requests without an answer. */
    HEDGE_LOOK,
    /** A look for channels that have nothing to do. */
    IDLE_LOOK,
    /** A look for waits that nothing can end. */
    WATCHDOG_LOOK
}
