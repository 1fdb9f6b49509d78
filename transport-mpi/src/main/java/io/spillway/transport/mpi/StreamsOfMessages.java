// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;

/**
 * Serves over streams of messages: MPI sends from memory, and the one thread of a rank must not
 * wait for a disk.
 */
final class StreamsOfMessages extends StreamServer {
    StreamsOfMessages(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch) {
        super(source, secrets, settings, epoch);
    }

    @Override
    protected boolean sendsFiles() {
        return false;
    }
}
