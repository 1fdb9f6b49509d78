/**
 * What a node publishes of itself: one list of metrics, for the NodeManager's metrics system and
 * for Prometheus.
 */
package io.spillway.node.metrics;
