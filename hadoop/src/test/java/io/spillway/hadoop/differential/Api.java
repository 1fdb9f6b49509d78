// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

/** Which of Hadoop's two APIs the job's mapper and reducer use. */
enum Api {
    NEW(true, true),
    OLD(false, false),
    OLD_MAPPER(false, true),
    OLD_REDUCER(true, false);

    private final boolean newMapper;
    private final boolean newReducer;

    Api(final boolean newMapper, final boolean newReducer) {
        this.newMapper = newMapper;
        this.newReducer = newReducer;
    }

    boolean newMapper() {
        return newMapper;
    }

    boolean newReducer() {
        return newReducer;
    }
}
