/**
 * Memory nodes: the service that says which node holds which output, and the part of each node that
 * reports to it.
 */
package io.spillway.placement;
