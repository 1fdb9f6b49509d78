package io.spillway.hadoop.differential;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/**
 * A job as the loopback nodes know it. Immutable.
 *
 * @param id such as a ResourceManager gives
 * @param secret the job's shuffle secret
 * @param events the completion events of its maps
 */
record LoopbackJob(JobID id, SecretKey secret, List<TaskCompletionEvent> events) {
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
        final int end = Math.min(events.size(), start + most);
        return new MapTaskCompletionEventsUpdate(
                events.subList(start, end).toArray(TaskCompletionEvent.EMPTY_ARRAY), false);
    }
}
