/** Reads map outputs on disk into memory, ahead of the requests for them. */
package io.spillway.node.prefetch;
