/** The side of a reducer, or of a map that puts: connections and what is under way on them. */
package io.spillway.stream.client;
