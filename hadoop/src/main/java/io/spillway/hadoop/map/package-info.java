/** The map side: from {@code collect()} to the map output file. */
package io.spillway.hadoop.map;
