// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import java.util.Optional;

/** The serving side's view of a node's map outputs. Thread-safe. */
public interface SegmentSource {
    /**
     * Finds a segment of a job whose secret the client has proved to know. The source checks that
     * the segment's output belongs to this job: nothing before it does. Does no unbounded work: may
     * open the file and read its index.
     *
     * @return the segment, the caller's to close; or the place of the other node that has it
     * @throws FetchException with {@code NOT_FOUND}, {@code OUT_OF_RANGE} (no such partition),
     *     {@code UNAUTHORIZED} (the output is not the job's), {@code UNKNOWN_JOB} or {@code
     *     SOURCE_FAILED}
     */
    SegmentAnswer open(String jobId, SegmentId segment) throws FetchException;

    /**
     * As {@link #open}, but never touches a file: for threads that must not block.
     *
     * @return null when only {@link #open} can tell
     */
    default SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return null;
    }

    /** Who answers the calls of clients; nothing where the node takes none. */
    default Optional<NodeService> service() {
        return Optional.empty();
    }

    /** Where the outputs go that clients put; nothing where the node takes none. */
    default Optional<SegmentSink> sink() {
        return Optional.empty();
    }

    /**
     * What the writes of clients may take until they are answered, for all servers of this source
     * together; where there is none, each server has its own.
     */
    default Optional<PutMemory> putMemory() {
        return Optional.empty();
    }
}
