// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import io.spillway.transport.serve.SegmentSource;

/**
 * Serves what another source has, and takes nothing.
 *
 * @param source of the segments; thread-safe
 */
public record SourceOnly(SegmentSource source) implements SegmentSource {
    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return source.open(jobId, segment);
    }
}
