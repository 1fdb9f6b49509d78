// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import java.util.List;

/** The serving side's view of the jobs it knows. Thread-safe; does not block. */
@FunctionalInterface
public interface JobSecrets {
    /**
     * What a job is known by: its shuffle secret, or the key of this node that is derived from it.
     * The caller does not change it.
     *
     * @return null when the job is not known
     */
    byte[] secretOf(String jobId);

    /**
     * All keys by one of which a client of a job may prove itself here; the caller does not change
     * them.
     *
     * @return empty when the job is not known
     */
    default List<byte[]> keysOf(final String jobId) {
        final byte[] secret = secretOf(jobId);
        return secret == null || secret.length == 0 ? List.of() : List.of(secret);
    }

    /**
     * Whether this is no job but what the nodes of a cluster prove themselves by to each other:
     * they are served also where tasks have all connections that they may have.
     */
    default boolean isOfNodes(final String jobId) {
        return false;
    }
}
