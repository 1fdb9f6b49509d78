/**
 * The reduce side: fetches map output into a fixed memory budget and merges it straight into {@code
 * reduce()}.
 *
 * <p>Threads. The thread of one {@link io.spillway.hadoop.reduce.ShuffleLoop} owns all scheduling
 * state: maps, nodes, the chunk pool. Everybody else sends it messages: the poller of completion
 * events, the threads that open channels and that speak stock HTTP, the transport's callbacks, and
 * the task thread when it has consumed a chunk. The task thread owns the cursors and the merge.
 * Chunks pass from the loop to the task thread through one {@link
 * io.spillway.hadoop.reduce.ChunkQueue} a segment, whose lock is taken once a chunk.
 *
 * <p>The loop's parts, put together by {@link io.spillway.hadoop.reduce.FetchCoordinator}, from the
 * events to the merge: {@link io.spillway.hadoop.reduce.CompletionEvents} learn where map outputs
 * are; {@link io.spillway.hadoop.reduce.MapAttempts} choose one attempt a map; {@link
 * io.spillway.hadoop.reduce.FetchPlanner} gives fetches memory and a place in their node's queue;
 * {@link io.spillway.hadoop.reduce.NodeConnections} say which node can be asked; {@link
 * io.spillway.hadoop.reduce.ChannelFetcher} or {@link io.spillway.hadoop.reduce.HttpFetcher} asks
 * it; {@link io.spillway.hadoop.reduce.SegmentReceiver} orders, verifies and hands on what comes;
 * {@link io.spillway.hadoop.reduce.FetchRecovery} and {@link
 * io.spillway.hadoop.reduce.StreamRecovery} deal with failures before and in the merge.
 *
 * <p>While maps run, {@link io.spillway.hadoop.reduce.PartialMerges} have complete segments merged,
 * and combined, in one more thread. What it works on is its own from the start of a {@link
 * io.spillway.hadoop.reduce.PartialMerge} to its result; it has ended before the last merge begins.
 *
 * <p>Memory. Every map has two chunks of the pool reserved until its segment needs them no more
 * ({@link io.spillway.hadoop.reduce.ChunkPool}). Whoever waits for a chunk of data therefore waits
 * for a request that is in flight or can be issued: there is no deadlock, however small the pool.
 */
package io.spillway.hadoop.reduce;
