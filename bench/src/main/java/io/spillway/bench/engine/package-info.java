/** The shuffle engines that are compared. */
package io.spillway.bench.engine;
