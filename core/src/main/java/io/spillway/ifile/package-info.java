/** Hadoop's segment encoding and index: writers, readers and layouts. */
package io.spillway.ifile;
