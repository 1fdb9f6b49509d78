/**
 * Outputs of clients in the memory of a node, and in files behind it: what a memory node stores and
 * serves.
 */
package io.spillway.transport.held;
