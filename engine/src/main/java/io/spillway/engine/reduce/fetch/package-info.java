/** Which fetch goes on next, over which connection, and what becomes of the bytes that come. */
package io.spillway.engine.reduce.fetch;
