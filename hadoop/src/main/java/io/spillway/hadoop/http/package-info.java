/**
 * Stock's shuffle over HTTP, as one implementation of the engine's {@link
 * io.spillway.engine.reduce.fetch.FallbackFetcher}: what fetches from nodes without Spillway.
 */
package io.spillway.hadoop.http;
