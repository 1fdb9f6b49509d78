/**
 * What a task of a host and its rank say to each other: messages on a Unix socket, and memory that
 * both have mapped for the bytes.
 */
package io.spillway.transport.mpi.link;
