// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers of the placement service. Stateless. */
public final class ServiceAnswers {
    private static final long MOST_MILLIS = 10_000;

    private ServiceAnswers() {}

    /**
     * Waits for an answer, 10 s at most.
     *
     * @param service its address, for messages
     * @throws FetchException the call's failure, or {@code TIMED_OUT}
     */
    public static ByteBuffer await(
            final NodeAddress service, final CompletableFuture<ByteBuffer> answer)
            throws FetchException, InterruptedException {
        try {
            return answer.get(MOST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof FetchException known
                    ? known
                    : new FetchException(Reason.LOCAL, service + ": " + e.getCause(), e);
        } catch (final TimeoutException e) {
            throw new FetchException(
                    Reason.TIMED_OUT, service + ": no answer within " + MOST_MILLIS + " ms", e);
        }
    }
}
