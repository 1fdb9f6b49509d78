// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.conf.TierName;
import java.util.Map;

/**
 * What a {@link SegmentServer} has done since its start. Immutable.
 *
 * @param connections served now
 * @param accepted connections since the start, refused ones included
 * @param refusals connections refused since the start, by cause
 * @param requests answered, with bytes or with a failure
 * @param failures requests answered with a failure
 * @param sent bytes of segments sent, by where they were
 */
public record ServerStats(
        int connections,
        long accepted,
        Map<Refusal, Long> refusals,
        long requests,
        long failures,
        Map<Source, Long> sent) {
    /** Why a connection is refused. */
    public enum Refusal {
        /** There is no room for another one. */
        FULL,
        /** The job is not known. */
        UNKNOWN_JOB,
        /** The proof is wrong. */
        UNAUTHORIZED,
        /** It did not prove itself in time. */
        NO_PROOF,
        /** It speaks another version of the protocol. */
        VERSION,
        /** Its bytes are no frames of the protocol. */
        MALFORMED,
        /** The node failed. */
        ERROR
    }

    /** Where the bytes that are sent were. */
    public enum Source {
        /** In the node's cache: read ahead. */
        CACHE,
        /** In the memory tier. */
        MEMORY,
        /** In the nvm tier. */
        NVM,
        /** In a local directory, in the page cache or on the device. */
        DISK,
        /** Not known here. */
        UNKNOWN;

        private static final Map<String, Source> BY_TIER =
                Map.of("memory", MEMORY, "nvm", NVM, "disk", DISK);

        /** Of bytes that were not in the cache; a tier without a counter of its own is unknown. */
        public static Source of(final TierName tier) {
            return BY_TIER.getOrDefault(tier.label(), UNKNOWN);
        }
    }

    /** Copies the maps. */
    public ServerStats {
        refusals = Map.copyOf(refusals);
        sent = Map.copyOf(sent);
    }

    /** Connections refused, for whatever cause. */
    public long refused() {
        return sum(refusals);
    }

    /** Bytes of segments sent, wherever they were. */
    public long bytes() {
        return sum(sent);
    }

    private static long sum(final Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
