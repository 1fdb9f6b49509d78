// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

/**
 * What reading ahead has brought, of one job or of a node since its start. Immutable.
 *
 * @param hits pieces served from memory
 * @param misses pieces of map outputs on disk that were served from the file
 * @param readAheadBytes bytes read into memory
 * @param evictedUnreadBytes of those, bytes that left memory before anybody had asked for them
 * @param currentBytes the memory that blocks take now; of a job, 0 after its end
 */
public record PrefetchStats(
        long hits, long misses, long readAheadBytes, long evictedUnreadBytes, long currentBytes) {}
