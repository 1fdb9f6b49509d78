/** Where jobs run: Hadoop's jars and configuration, on a cluster of our own or an installed one. */
package io.spillway.cli.site;
