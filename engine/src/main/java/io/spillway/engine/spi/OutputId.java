// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/**
 * The output of one attempt of a map. Immutable.
 *
 * @param map the map's number, from 0 on: equal keys come in the order of these numbers
 * @param name of the output, as the framework and its nodes spell it: an {@link
 *     io.spillway.transport.OpaqueId}
 */
public record OutputId(int map, String name) {
    @Override
    public String toString() {
        return name;
    }
}
