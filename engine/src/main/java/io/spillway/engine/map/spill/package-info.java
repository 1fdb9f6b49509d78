/**
 * The map side: a sort buffer's records become spills, and these one output of segments and index,
 * or several runs. Where bytes go, and what a framework counts, is in {@link
 * io.spillway.engine.spi.MapHost}.
 */
package io.spillway.engine.map.spill;
