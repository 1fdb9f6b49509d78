/** The fixed budget of a shuffle, in chunks. */
package io.spillway.engine.reduce.memory;
