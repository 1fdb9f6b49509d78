/**
 * What the two ends of the protocol do alike over every transport: the limits, the checks of
 * requests and answers, the way of fetches to a connection's thread. {@link io.spillway.wire} has
 * the frames, {@link io.spillway.transport} what their users see.
 */
package io.spillway.protocol;
