/** Finds memory of other nodes for the outputs of maps. */
package io.spillway.hadoop.placement;
