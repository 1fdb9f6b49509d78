// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** How a reducer divides its memory among maps: {@code spillway.shuffle.windows}. */
public enum WindowSizing {
    /** By what the merge needs next. */
    DEMAND,

    /** The same for every map. */
    STATIC
}
