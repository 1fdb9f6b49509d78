// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

/**
 * The keys of one session, for each direction. They are derived from both nonces and all fields of
 * the hand-shake, so other sessions have other keys. Immutable.
 *
 * @param ofClient of what the client sends
 * @param ofNode of what the node sends
 */
public record SessionKeys(SealKeys ofClient, SealKeys ofNode) {}
