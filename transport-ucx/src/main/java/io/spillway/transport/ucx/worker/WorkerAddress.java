// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxException;

/**
 * The address of a peer's worker, as UCX is given it. UCX takes no length: it follows the lengths
 * that the address itself names, and a peer may lie in them.
 */
final class WorkerAddress {
    /**
     * More than UCX reads behind the address. In zeros it comes to an end soon: an entry of a
     * device in them has the bandwidth 0, which UCX refuses, and a list of 64 endpoints in them,
     * the most that it takes, has 128 bytes. Before that it skips at most 255 bytes of a device's
     * or an interface's address, and reads at most as many of it.
     */
    private static final int PADDING = 2048;

    /** The low half of the first byte. UCX 1.13 ends the process over any other version. */
    private static final int VERSION_MASK = 0x0F;

    private static final int MAX_VERSION = 1;

    private WorkerAddress() {}

    /**
     * A copy outside the heap, with zeros behind.
     *
     * @throws UcxException where UCX could not read it
     * @throws OutOfMemoryError where there is no memory for it
     */
    static ByteBuffer padded(final DirectMemory memory, final ByteBuffer address) {
        if (!address.hasRemaining()) {
            throw new UcxException("the worker's address is empty");
        }
        final int version = address.get(address.position()) & VERSION_MASK;
        if (version > MAX_VERSION) {
            throw new UcxException(
                    "the worker's address has the format "
                            + version
                            + ", expected 0 to "
                            + MAX_VERSION);
        }
        final ByteBuffer copy = memory.allocate(address.remaining() + PADDING);
        copy.put(address.duplicate());
        while (copy.hasRemaining()) {
            copy.put((byte) 0);
        }
        return copy.flip();
    }
}
