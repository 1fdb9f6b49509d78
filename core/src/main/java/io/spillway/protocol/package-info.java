/**
 * What the two ends of the protocol do alike over every transport: the mutual proof, the limits,
 * and the checks of requests and answers. {@link io.spillway.wire} has the frames, {@link
 * io.spillway.transport} what their users see.
 */
package io.spillway.protocol;
