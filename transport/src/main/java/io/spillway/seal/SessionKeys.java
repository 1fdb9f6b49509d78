// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

/**
 * The keys of one session, for each direction. Other sessions have other keys: both nonces and all
 * that was said in the hand-shake go into them. Immutable.
 *
 * @param ofClient of what the client sends
 * @param ofNode of what the node sends
 */
public record SessionKeys(SealKeys ofClient, SealKeys ofNode) {}
