/** Outputs of clients in the memory of a node: what a memory node stores and serves. */
package io.spillway.memory;
