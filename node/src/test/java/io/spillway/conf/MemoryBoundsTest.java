// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.node.NodeKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryBoundsTest {
    private static final long MIB = 1L << 20;

    @Test
    void hostBytesIsWhatTheJvmMayUseOfTheHost() {
        assertThat(MemoryBounds.hostBytes()).isGreaterThan(Runtime.getRuntime().maxMemory());
    }

    @Test
    void aSizeMayBeAllOfTheHost() {
        final long host = MemoryBounds.hostBytes();

        assertThat(MemoryBounds.requireInHost(NodeKeys.NODE_PREFETCH_BYTES, host)).isEqualTo(host);
        assertThat(MemoryBounds.requireInHost(NodeKeys.NODE_PREFETCH_BYTES, 0)).isZero();
    }

    @Test
    void aSizeBeyondTheHostIsRefusedWithWhatWouldFit() {
        final long host = MemoryBounds.hostBytes();
        final long fits = MemoryBounds.wholeMegabytes(host);

        assertThatThrownBy(() -> MemoryBounds.requireInHost(NodeKeys.NODE_PREFETCH_BYTES, host + 1))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.node.prefetch.bytes="
                                + Sizes.format(host + 1)
                                + ": expected at most "
                                + Sizes.format(fits)
                                + ": the host has "
                                + host / MIB
                                + " MiB of memory");
        assertThat(MemoryBounds.requireInHost(NodeKeys.NODE_PREFETCH_BYTES, fits))
                .as("what the message names")
                .isEqualTo(fits);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 128 * MIB})
    void aSizeMayBeAllThatTheHeapHasForIt(final long value) {
        assertThat(
                        MemoryBounds.requireInHeap(
                                NodeKeys.NODE_INDEX_BYTES, value, 256 * MIB, 128 * MIB))
                .isEqualTo(value);
    }

    @Test
    void aSizeBeyondItsPartOfTheHeapIsRefusedWithWhatWouldFit() {
        assertThatThrownBy(
                        () ->
                                MemoryBounds.requireInHeap(
                                        NodeKeys.NODE_INDEX_BYTES,
                                        128 * MIB + 1,
                                        256 * MIB,
                                        128 * MIB))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "spillway.node.index.bytes=134217729: expected at most 128m:"
                                + " so much of the heap of 256 MiB is left for it");
    }

    @Test
    void whereTheHeapHasNothingLeftNothingFits() {
        assertThatThrownBy(
                        () -> MemoryBounds.requireInHeap(NodeKeys.NODE_INDEX_BYTES, 1, MIB, -MIB))
                .hasMessageContaining("spillway.node.index.bytes=1: expected at most 0: ");
    }

    @Test
    void whatFitsIsNamedInWholeMegabytes() {
        assertThat(MemoryBounds.wholeMegabytes(MIB - 1)).isZero();
        assertThat(MemoryBounds.wholeMegabytes(MIB)).isEqualTo(MIB);
        assertThat(MemoryBounds.wholeMegabytes(2 * MIB - 1)).isEqualTo(MIB);
        assertThat(MemoryBounds.megabytes(3 * MIB + 5)).isEqualTo("3 MiB");
    }
}
