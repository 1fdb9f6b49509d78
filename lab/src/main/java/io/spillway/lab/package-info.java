/** Clusters, workloads and comparisons: what it takes to see and to measure a shuffle engine. */
package io.spillway.lab;
