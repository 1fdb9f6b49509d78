/**
 * The reduce side's plug-in: gives the engine what Hadoop has, and Hadoop what the engine makes.
 *
 * <p>{@link io.spillway.hadoop.reduce.ReduceShuffle} puts it together: completion events, stock's
 * counters and reports, the job's combiner and comparator, the tiers of the task, and stock HTTP
 * for hosts without Spillway ({@link io.spillway.hadoop.http}).
 */
package io.spillway.hadoop.reduce;
