// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

/** What the mapper does with its input. */
enum MapStyle {
    /** Emits one record for each. */
    PLAIN,
    /** Emits one record for each, from several threads. */
    MULTITHREADED,
    /** Emits nothing in every second map. */
    ODD_MAPS_SILENT,
    /** Emits nothing at all. */
    SILENT,
    /** Throws half way through the second map. */
    THROWS,
    /** Emits a key of another class half way through the second map. */
    WRONG_KEY_CLASS,
    /** Emits a key of a subclass half way through the second map. */
    KEY_SUBCLASS,
    /** Emits a value of another class half way through the second map. */
    WRONG_VALUE_CLASS
}
