/** Hadoop's configuration, as settings read it. */
package io.spillway.hadoop.conf;
