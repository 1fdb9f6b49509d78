/** Archives of class data (CDS) for the JVMs of MapReduce tasks. */
package io.spillway.cli.cds;
