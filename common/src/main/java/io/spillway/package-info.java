/** Spillway: a shuffle engine for unmodified Apache Hadoop MapReduce. */
package io.spillway;
