/** Hadoop's segment encoding and index: writers, layouts, and the cursors that read records. */
package io.spillway.ifile;
