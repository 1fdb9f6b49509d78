package io.spillway.hadoop.reduce;

/** Stock's counters of failed fetches, in stock's group. */
enum ShuffleError {
    IO_ERROR,
    WRONG_LENGTH,
    BAD_ID,
    WRONG_MAP,
    CONNECTION,
    WRONG_REDUCE;

    static final String GROUP = "Shuffle Errors";
}
