// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.FetchReply;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Verifies the pieces of one segment as they arrive, before anything else is done with them, by the
 * checksums that the map wrote, where it wrote them. Owned by the loop's thread.
 */
public final class PieceChecks {
    private final CRC32C crc = new CRC32C();

    /** Where pieces began that were damaged and have not come undamaged since. */
    private final Set<Long> damaged = new HashSet<>();

    private Tier tier = Tiers.UNKNOWN;

    /**
     * Passes a piece, whose checksum the chunk keeps from here on.
     *
     * @return what is wrong with its bytes, or null
     */
    public String problemOf(final Chunk piece, final long offset, final FetchReply reply) {
        tier = Tiers.ofCode(reply.tier());
        crc.reset();
        crc.update(piece.bytes(), piece.offset(), piece.length());
        piece.checksum((int) crc.getValue());
        if (!reply.hasChecksum() || crc.getValue() == reply.checksum()) {
            damaged.remove(offset);
            return null;
        }
        return String.format(
                "CRC32C=%08x of %d bytes at offset %d, expected %08x; tier %s",
                crc.getValue(), piece.length(), offset, reply.checksum(), tier.label());
    }

    /**
     * Counts damage.
     *
     * @return whether the same piece was damaged before, so that to fetch it again does not help
     */
    public boolean isDamagedAgain(final long offset) {
        return !damaged.add(offset);
    }

    /**
     * Whether a piece is damaged that has not come undamaged since: others do not make up for it.
     */
    public boolean isDamaged() {
        return !damaged.isEmpty();
    }

    /** Where the node keeps the segment, as far as it says. */
    public Tier tier() {
        return tier;
    }
}
