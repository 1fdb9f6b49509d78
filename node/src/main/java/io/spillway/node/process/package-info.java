/**
 * The node process: serves the map outputs of its host's NodeManagers over every transport that the
 * host has. Native code runs here and never in a NodeManager.
 */
package io.spillway.node.process;
