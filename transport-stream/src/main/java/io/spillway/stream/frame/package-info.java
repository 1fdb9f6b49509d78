/** Frames, and bytes on their way, in Netty's terms; both sides use them. */
package io.spillway.stream.frame;
