/** The frames of fetches: the request, its bytes, and other nodes that have them. */
package io.spillway.wire.fetch;
