// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * A job as the loopback nodes know it. Filled by one thread before any reducer sees it.
 *
 * @param id such as a ResourceManager gives
 * @param secret the job's shuffle secret
 * @param events the completion events of its maps
 * @param busy whether a reducer sees two events more each time it asks, instead of all
 */
record LoopbackJob(JobID id, SecretKey secret, List<TaskCompletionEvent> events, boolean busy) {
    private static final int EVENTS_AT_A_TIME = 2;

    /** Adds a completion event and gives the attempt's id. */
    TaskAttemptID announce(
            final int map,
            final int attempt,
            final TaskCompletionEvent.Status status,
            final String address) {
        final TaskAttemptID attemptId =
                new TaskAttemptID(id.getJtIdentifier(), id.getId(), TaskType.MAP, map, attempt);
        events.add(new TaskCompletionEvent(events.size(), attemptId, map, true, status, address));
        return attemptId;
    }

    /** The umbilical of LocalJobRunner, but with this job's completion events. */
    TaskUmbilicalProtocol umbilical(final TaskUmbilicalProtocol local) {
        final InvocationHandler handler =
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getMapCompletionEvents")) {
                        return eventsFrom((int) arguments[1], (int) arguments[2]);
                    }
                    try {
                        return method.invoke(local, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                };
        return (TaskUmbilicalProtocol)
                Proxy.newProxyInstance(
                        LoopbackJob.class.getClassLoader(),
                        new Class<?>[] {TaskUmbilicalProtocol.class},
                        handler);
    }

    private MapTaskCompletionEventsUpdate eventsFrom(final int first, final int most) {
        final int start = Math.min(first, events.size());
        final int shown = busy ? Math.min(most, EVENTS_AT_A_TIME) : most;
        final int end = Math.min(events.size(), start + shown);
        return new MapTaskCompletionEventsUpdate(
                events.subList(start, end).toArray(TaskCompletionEvent.EMPTY_ARRAY), false);
    }
}
