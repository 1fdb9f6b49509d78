// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

/**
 * One of several shares of all keys.
 *
 * @param pass its number, from 0
 * @param passes how many there are
 */
record KeyShare(int pass, int passes) {
    /** Whether a key is in it. */
    boolean has(final String key) {
        final int hash = key.hashCode() * 0x9E3779B9;
        return Math.floorMod(hash ^ (hash >>> 16), passes) == pass;
    }
}
