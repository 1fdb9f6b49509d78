package io.spillway.engine.segment;

import io.spillway.engine.memory.Chunk;

/**
 * A chunk together with the fetch whose claim it was taken by, so that it can be given back from
 * wherever it went. Immutable; the chunk's content belongs to who holds this.
 *
 * @param owner null for a chunk that is not the pool's and simply becomes garbage
 */
public record HeldChunk(SegmentFetch owner, Chunk chunk) {}
