/**
 * What putting bytes into another node's memory costs: {@link io.spillway.bench.net.put.PutSender}
 * puts as a map does, {@link io.spillway.bench.net.put.PutReceiver} takes as a memory node does,
 * each in a process of its own.
 */
package io.spillway.bench.net.put;
