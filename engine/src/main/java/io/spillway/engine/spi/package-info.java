/**
 * What a framework gives the engine, and what it learns from it. Nothing here knows the rest of the
 * engine.
 */
package io.spillway.engine.spi;
