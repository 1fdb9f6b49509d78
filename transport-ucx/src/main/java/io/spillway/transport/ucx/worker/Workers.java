// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.io.IOException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * Makes workers of UCX, whose table of handlers has an entry for each id that a message may have.
 */
final class Workers {
    /**
     * UCX 1.13 looks up the handler of a message before it checks that there can be one. With a
     * handler of the highest id, no id that a stranger sends lies outside the table.
     */
    private static final int HIGHEST_MESSAGE = 0xFFFF;

    private Workers() {}

    /**
     * Makes a worker; closes the context where that fails.
     *
     * @throws IOException where UCX makes none, or its messages have too short headers
     */
    static UcpWorker newWorker(final UcpContext context) throws IOException {
        try {
            final UcpWorker worker = context.newWorker(new UcpWorkerParams());
            worker.setAmRecvHandler(HIGHEST_MESSAGE, (header, length, data, replyTo) -> 0);
            clearOtherHandlers(worker);
            if (worker.getMaxAmHeaderSize() >= Envelope.MAX_MESSAGE_HEADER) {
                return worker;
            }
            final long max = worker.getMaxAmHeaderSize();
            worker.close();
            throw new IOException(
                    "ucx: the longest header of a message is "
                            + max
                            + " bytes, expected at least "
                            + Envelope.MAX_MESSAGE_HEADER);
        } catch (final RuntimeException | IOException e) {
            context.close();
            throw e instanceof IOException io ? io : new IOException("ucx: no worker: " + e, e);
        }
    }

    /**
     * When its table of handlers grows, UCX 1.13 sets one of the new entries again and again
     * (ucp_worker_set_am_handler_common). The others have what was in that memory before, and UCX
     * calls that address when a message of such an id comes. So each entry is set here, to none.
     */
    private static void clearOtherHandlers(final UcpWorker worker) {
        for (int id = 0; id < HIGHEST_MESSAGE; id++) {
            worker.removeAmRecvHandler(id);
        }
    }
}
