/** Chooses among the transports of a node: tcp first, another one where it is better and works. */
package io.spillway.transport.choice;
