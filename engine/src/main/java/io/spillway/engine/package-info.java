/**
 * The reduce side (the map side is {@link io.spillway.engine.map.spill}): fetches map output into a
 * fixed memory budget and merges it straight into a reducer. What a framework gives it, and learns
 * from it, is in {@link io.spillway.engine.spi}.
 *
 * <p>Threads. The thread of one {@link io.spillway.engine.reduce.thread.ShuffleLoop} owns all
 * scheduling state: maps, nodes, the chunk pool. All other threads send it messages: the poller of
 * completion events, the threads that open channels and that speak stock HTTP, the transport's
 * callbacks, and the task thread when it has consumed a chunk. The task thread owns the cursors and
 * the merge. Chunks pass from the loop to the task thread through one {@link
 * io.spillway.engine.reduce.segment.ChunkQueue} a segment, whose lock is taken once a chunk.
 *
 * <p>The loop's parts, put together by {@link io.spillway.engine.ShuffleParts}, from the events to
 * the merge: {@link io.spillway.engine.CompletionEvents} learn where map outputs are; {@link
 * io.spillway.engine.reduce.fetch.MapAttempts} choose one attempt a map; {@link
 * io.spillway.engine.reduce.fetch.FetchPlanner} gives fetches memory and a place in their node's
 * queue; {@link io.spillway.engine.reduce.fetch.NodeConnections} say which node can be asked;
 * {@link io.spillway.engine.reduce.fetch.FetchPump} asks it, or has the framework's own {@link
 * io.spillway.engine.reduce.fetch.FallbackFetcher} do so; {@link
 * io.spillway.engine.reduce.fetch.SegmentReceiver} orders, verifies and hands on what comes; {@link
 * io.spillway.engine.reduce.recovery.FetchRecovery} and {@link
 * io.spillway.engine.reduce.recovery.StreamRecovery} deal with failures before and in the merge.
 *
 * <p>While maps run, {@link io.spillway.engine.reduce.merge.InMemoryMerger} have complete segments
 * merged, and combined, in one more thread. What it works on is its own from the start of a {@link
 * io.spillway.engine.reduce.merge.InMemoryMerge} to its result; it has ended before the last merge
 * begins.
 *
 * <p>Memory. Every map has two chunks of the pool reserved until its segment needs them no more
 * ({@link io.spillway.engine.reduce.memory.ChunkPool}). A thread that waits for a chunk of data
 * therefore waits for a request that is in flight or can be issued: there is no deadlock, however
 * small the pool.
 */
package io.spillway.engine;
