// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Asks the placement service for the whole {@link PlacementStatus}, part by part. */
public final class StatusQuestion {
    /** The most parts: some 100,000 nodes. */
    private static final int MAX_PARTS = 256;

    /** Calls the service, and waits for its answer. */
    @FunctionalInterface
    public interface Service {
        /** The answer to one question. */
        ByteBuffer ask(ByteBuffer question) throws FetchException, InterruptedException;
    }

    private StatusQuestion() {}

    /**
     * Asks until there is no more.
     *
     * @throws FetchException as the service's calls, and with {@code PROTOCOL} where its answers
     *     are wrong or do not end
     */
    public static PlacementStatus ask(final Service service)
            throws FetchException, InterruptedException {
        final List<StatusPart> parts = new ArrayList<>();
        StatusRequest next = StatusRequest.FIRST;
        while (parts.size() < MAX_PARTS) {
            final StatusPart part = ask(service, next);
            parts.add(part);
            if (!part.more()) {
                return PlacementStatus.of(parts);
            }
            next = next.after(part);
        }
        throw new FetchException(
                Reason.PROTOCOL, "parts of the status=" + MAX_PARTS + ", expected an end");
    }

    private static StatusPart ask(final Service service, final StatusRequest request)
            throws FetchException, InterruptedException {
        try {
            return StatusPart.decode(service.ask(request.encode()));
        } catch (final MalformedFrameException e) {
            throw new FetchException(Reason.PROTOCOL, e.getMessage(), e);
        }
    }
}
