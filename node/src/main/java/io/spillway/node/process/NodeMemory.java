// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.conf.CommonKeys;
import io.spillway.conf.MemoryBounds;
import io.spillway.node.NodeKeys;
import io.spillway.protocol.ProtocolKeys;
import java.util.List;
import java.util.function.Function;

/**
 * What the JVM of a node process needs. Immutable.
 *
 * @param heapBytes its heap
 * @param directBytes the most memory outside the heap
 */
public record NodeMemory(long heapBytes, long directBytes) {
    private static final long MIB = 1L << 20;

    /** Buffers of Netty and of sockets, beside what is read ahead. */
    private static final long DIRECT_RESERVE = 256 * MIB;

    /** Half of the heap may hold what is kept about outputs: some 52 bytes a segment. */
    private static final int BYTES_PER_HEAP_BYTE = 16;

    /** NodeManagers whose outputs one process may read ahead. */
    private static final int MANAGERS = 4;

    /**
     * By the settings of the process.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static NodeMemory of(final Function<String, String> settings) {
        final long outputs = ProtocolKeys.NODE_MEMORY_BYTES.get(settings);
        final long heap =
                MemoryBounds.requireInHost(
                        CommonKeys.NODE_HEAP, CommonKeys.NODE_HEAP.get(settings));
        return new NodeMemory(
                heap + outputs / BYTES_PER_HEAP_BYTE,
                MANAGERS * NodeKeys.NODE_PREFETCH_BYTES.get(settings) + DIRECT_RESERVE + outputs);
    }

    /** The options of a JVM that has it. */
    public List<String> options() {
        return List.of(
                "-Xmx" + heapBytes / MIB + "m",
                "-XX:MaxDirectMemorySize=" + directBytes / MIB + "m");
    }
}
