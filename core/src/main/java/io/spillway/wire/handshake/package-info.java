/**
 * The frames by which a client and a node prove themselves to each other and say what they allow,
 * and by which they tell each other the ends of another path.
 */
package io.spillway.wire.handshake;
