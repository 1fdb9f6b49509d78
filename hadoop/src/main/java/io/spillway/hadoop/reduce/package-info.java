/**
 * The reduce side: fetches map output into a fixed memory budget and merges it straight into {@code
 * reduce()}.
 *
 * <p>Threads. One <em>coordinator</em> thread ({@link io.spillway.hadoop.reduce.FetchCoordinator})
 * owns all scheduling state: maps, nodes, the chunk pool. Everybody else sends it messages: the
 * poller of completion events, the threads that open channels and that speak stock HTTP, the
 * transport's callbacks, and the task thread when it has consumed a chunk. The task thread owns the
 * cursors and the merge. Chunks pass from the coordinator to the task thread through one {@link
 * io.spillway.hadoop.reduce.ChunkQueue} a segment, whose lock is taken once a chunk.
 *
 * <p>Memory. Every map has two chunks of the pool reserved until its segment needs them no more
 * ({@link io.spillway.hadoop.reduce.ChunkPool}). Whoever waits for a chunk of data therefore waits
 * for a request that is in flight or can be issued: there is no deadlock, however small the pool.
 */
package io.spillway.hadoop.reduce;
