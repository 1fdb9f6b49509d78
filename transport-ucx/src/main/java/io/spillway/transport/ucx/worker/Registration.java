// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpRequestParams;

/**
 * Memory that is registered with UCX for one job, and given out in parts. UCX gives the key of all
 * of it to each peer that it announces a part to, so that no part is ever another job's.
 */
final class Registration {
    private static final byte[] ZEROS = new byte[64 << 10];

    private final ByteBuffer bytes;
    private final UcpMemory memory;
    private final long address;
    private final UcpRequestParams params;
    private final Buddies parts;

    /**
     * Registers memory.
     *
     * @param bytes hold zeros: the key is good for all of them from now on
     * @param minPart the shortest part that is given out
     * @throws org.openucx.jucx.UcxException where that fails
     */
    Registration(final UcpContext context, final ByteBuffer bytes, final int minPart) {
        this.bytes = bytes;
        this.memory = context.registerMemory(bytes);
        this.address = UcxUtils.getAddress(bytes);
        this.params = new UcpRequestParams().setMemoryHandle(memory);
        this.parts = new Buddies(bytes.capacity(), minPart);
    }

    int length() {
        return bytes.capacity();
    }

    Buddies parts() {
        return parts;
    }

    ByteBuffer slice(final int offset, final int length) {
        return bytes.slice(offset, length);
    }

    long addressOf(final int offset) {
        return address + offset;
    }

    UcpRequestParams params() {
        return params;
    }

    /** Ends the registration. */
    void end() {
        memory.deregister();
    }

    /** Wipes what its job has left, once the registration has ended. */
    void wipe() {
        bytes.clear();
        while (bytes.hasRemaining()) {
            bytes.put(ZEROS, 0, Math.min(ZEROS.length, bytes.remaining()));
        }
    }
}
