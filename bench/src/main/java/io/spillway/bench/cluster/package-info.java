/** Hadoop clusters on one machine: unmodified daemons, each in a JVM of its own, on loopback. */
package io.spillway.bench.cluster;
