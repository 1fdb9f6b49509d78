/**
 * Differential tests: the same job on stock Hadoop and on Spillway must give the same output.
 *
 * <p>A {@link io.spillway.hadoop.differential.JobSpec} describes a job, an {@link
 * io.spillway.hadoop.differential.Engine} what lies between its {@code map()} and {@code reduce()};
 * {@link io.spillway.hadoop.differential.Differential} runs it on both sides and compares output,
 * counters and errors. Jobs run in Hadoop's LocalJobRunner; {@link
 * io.spillway.hadoop.differential.LoopbackShuffle} gives their reducers the fetch path of a real
 * cluster, through shuffle handlers in this JVM.
 */
package io.spillway.hadoop.differential;
