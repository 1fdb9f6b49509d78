/** What {@link io.spillway.hadoop.SpillwayShuffleHandler} adds to stock's shuffle handler. */
package io.spillway.hadoop.handler;
