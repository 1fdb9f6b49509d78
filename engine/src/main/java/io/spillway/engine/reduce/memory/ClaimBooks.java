// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * The sums over all claims of a {@link ChunkPool}, kept up to date: a claim is taken out before it
 * changes, and put in again. Owned by the loop's thread.
 */
final class ClaimBooks {
    private final List<Claim> claims = new ArrayList<>();
    private long reserved;
    private int active;
    private long heldByComplete;

    Claim add(final Claim claim) {
        claims.add(claim);
        attach(claim);
        return claim;
    }

    List<Claim> claims() {
        return claims;
    }

    void detach(final Claim claim) {
        reserved -= claim.reserve();
        if (claim.demand > 0) {
            active--;
        } else {
            heldByComplete -= claim.held;
        }
    }

    void attach(final Claim claim) {
        reserved += claim.reserve();
        if (claim.demand > 0) {
            active++;
        } else {
            heldByComplete += claim.held;
        }
    }

    /** The chunks set aside for all claims. */
    long reserved() {
        return reserved;
    }

    /** The claims that have demand. */
    int active() {
        return active;
    }

    /** The chunks held by claims without demand. */
    long heldByComplete() {
        return heldByComplete;
    }

    /** Whether the sums agree with the claims, and with so many chunks out of the pool. */
    boolean agreeWith(final int out) {
        return claims.stream().mapToLong(Claim::held).sum() == out
                && claims.stream().mapToLong(Claim::reserve).sum() == reserved;
    }
}
