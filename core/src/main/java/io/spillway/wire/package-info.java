/** The layout of every frame, one descriptor class a layout. */
package io.spillway.wire;
