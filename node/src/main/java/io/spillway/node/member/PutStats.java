// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.transport.FetchException.Reason;
import java.util.EnumMap;
import java.util.Map;

/**
 * What was put into a node's memory since its start. Immutable.
 *
 * @param pieces that were taken
 * @param bytes of them
 * @param refused pieces and commits that were not taken, by each cause
 * @param commits outputs that became whole, or were committed again
 * @param aborts outputs that their maps have given up before
 */
public record PutStats(
        long pieces, long bytes, Map<Refusal, Long> refused, long commits, long aborts) {
    /** Of a node that gives no memory. */
    static final PutStats NONE = new PutStats(0, 0, Map.of(), 0, 0);

    /** Why a piece or a commit is not taken. */
    public enum Refusal {
        /** There is no room: the map goes on to another node, or keeps its output. */
        FULL,
        /** Other bytes were put before, such as those of a speculative twin. */
        CONFLICT,
        /** The job is not known, or has ended. */
        UNKNOWN_JOB,
        /** Anything else. */
        OTHER;

        static Refusal of(final Reason reason) {
            return switch (reason) {
                case FULL -> FULL;
                case CONFLICT -> CONFLICT;
                case UNKNOWN_JOB -> UNKNOWN_JOB;
                default -> OTHER;
            };
        }
    }

    /** Copies the map; a cause that it does not have counts 0. */
    public PutStats {
        final Map<Refusal, Long> all = new EnumMap<>(Refusal.class);
        for (final Refusal cause : Refusal.values()) {
            all.put(cause, refused.getOrDefault(cause, 0L));
        }
        refused = Map.copyOf(all);
    }

    /** Pieces and commits that were not taken, whatever the cause. */
    public long refusedInAll() {
        return refused.values().stream().mapToLong(Long::longValue).sum();
    }
}
