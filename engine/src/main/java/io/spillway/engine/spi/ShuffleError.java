// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/** The ways in which a fetch fails, as MapReduce counts them. */
public enum ShuffleError {
    IO_ERROR,
    WRONG_LENGTH,
    BAD_ID,
    WRONG_MAP,
    CONNECTION,
    WRONG_REDUCE
}
