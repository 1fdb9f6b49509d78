// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.transport.FetchException;
import java.nio.ByteBuffer;

/**
 * Answers what a node's clients ask beside segments, such as where an output shall be put. What
 * question and answer mean is the service's own affair; both are at most 1 MiB. Thread-safe; no
 * method blocks.
 */
public interface NodeService {
    /**
     * Answers a question; {@code reply} learns the answer, now or later.
     *
     * @param jobId the job whose secret the client has proved to know
     * @param request the question, its remaining bytes; the service's from here on
     */
    void call(String jobId, ByteBuffer request, Reply reply);

    /** Takes the answer: exactly one method is called, once, by any thread. */
    interface Reply {
        /** The answer is the remaining bytes of a buffer, which nothing changes any more. */
        void done(ByteBuffer answer);

        /** There is no answer, and why. */
        void failed(FetchException cause);
    }
}
