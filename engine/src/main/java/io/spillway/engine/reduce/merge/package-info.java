/** From segments to records in order: merges in memory, merges in levels, and the last one. */
package io.spillway.engine.reduce.merge;
