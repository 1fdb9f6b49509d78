// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.hadoop.http.ShuffleUrl;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the engine's terms what completion events tell of map outputs. */
final class MapOutputEvents {
    private static final Logger LOG = LoggerFactory.getLogger(MapOutputEvents.class);

    /** An attempt that is no map's. */
    private static final int NO_MAP = -1;

    private MapOutputEvents() {}

    /** The events of a batch, in its order. */
    static List<OutputEvent> of(final TaskCompletionEvent[] batch) {
        final List<OutputEvent> events = new ArrayList<>(batch.length);
        for (final TaskCompletionEvent event : batch) {
            events.add(of(event));
        }
        return events;
    }

    private static OutputEvent of(final TaskCompletionEvent event) {
        final OutputId output = output(event.getTaskAttemptId());
        return switch (event.getTaskStatus()) {
            case SUCCEEDED -> {
                final ShuffleUrl where = ShuffleUrl.parse(event.getTaskTrackerHttp());
                yield new OutputEvent.Ready(
                        output, where.address(), where.base(), event.getTaskRunTime());
            }
            case FAILED, KILLED, OBSOLETE -> {
                LOG.info(
                        "Ignoring obsolete output of {} map-task: '{}'",
                        event.getTaskStatus(),
                        output);
                yield new OutputEvent.Withdrawn(output);
            }
            case TIPFAILED -> {
                LOG.info("Ignoring output of failed map TIP: '{}'", output);
                yield new OutputEvent.Abandoned(output);
            }
        };
    }

    /** The output of an attempt. */
    static OutputId output(final TaskAttemptID attempt) {
        final boolean isMap = attempt.getTaskType() == TaskType.MAP;
        return new OutputId(isMap ? attempt.getTaskID().getId() : NO_MAP, attempt.toString());
    }

    /** The attempt that has made an output. */
    static TaskAttemptID attempt(final OutputId output) {
        return TaskAttemptID.forName(output.name());
    }
}
