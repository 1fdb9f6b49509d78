/** The command {@code ./spillway}. It loads no class of Hadoop: all of it runs in other JVMs. */
package io.spillway.cli;
