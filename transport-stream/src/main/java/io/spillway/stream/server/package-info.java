/** The side of a node: connections, their proof, and answers to fetches and puts. */
package io.spillway.stream.server;
