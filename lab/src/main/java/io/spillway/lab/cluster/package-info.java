/**
 * Hadoop clusters on one machine: unmodified daemons, each in a JVM of its own, on loopback or on
 * emulated hosts.
 */
package io.spillway.lab.cluster;
