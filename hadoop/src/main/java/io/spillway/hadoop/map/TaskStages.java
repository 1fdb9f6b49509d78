// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.spi.MapStage;

/** Tells by Hadoop's classes on a stack whose code a map task runs. */
final class TaskStages {
    private static final String MAP_TASK = "org.apache.hadoop.mapred.MapTask$";

    private TaskStages() {}

    /** Whose code runs, by the frame of MapTask nearest to the top. */
    static MapStage stageOf(final StackTraceElement[] stack) {
        for (final StackTraceElement frame : stack) {
            final String type = frame.getClassName();
            if (type.startsWith(MAP_TASK)) {
                final String inner = type.substring(MAP_TASK.length());
                if (inner.endsWith("RecordReader")) {
                    return MapStage.READ;
                }
                if (inner.endsWith("OutputCollector")) {
                    return MapStage.COLLECT;
                }
            }
        }
        return MapStage.MAP;
    }
}
