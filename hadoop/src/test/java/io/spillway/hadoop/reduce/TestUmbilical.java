// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/** An MRAppMaster that tells the completion events a test scripts. */
final class TestUmbilical {
    private final List<TaskCompletionEvent> events = new ArrayList<>();
    private final List<TaskAttemptID> fetchFailures = new ArrayList<>();
    private int failuresToCome;
    private Error failure;
    private int statusUpdates;
    private int polls;

    synchronized void add(
            final TaskAttemptID attempt,
            final TaskCompletionEvent.Status status,
            final String url) {
        events.add(
                new TaskCompletionEvent(
                        events.size(), attempt, attempt.getTaskID().getId(), true, status, url));
    }

    synchronized void failNextPolls(final int count) {
        failuresToCome = count;
    }

    /** The calls for completion events so far. */
    synchronized int polls() {
        return polls;
    }

    /** Makes every poll throw from now on. */
    synchronized void failPolls(final Error how) {
        failure = how;
    }

    synchronized int statusUpdates() {
        return statusUpdates;
    }

    /**
     * The protocol. A proxy, for types of its methods that are not public keep others from
     * implementing it.
     */
    TaskUmbilicalProtocol protocol() {
        return (TaskUmbilicalProtocol)
                Proxy.newProxyInstance(
                        TestUmbilical.class.getClassLoader(),
                        new Class<?>[] {TaskUmbilicalProtocol.class},
                        (proxy, method, args) ->
                                switch (method.getName()) {
                                    case "getMapCompletionEvents" ->
                                            eventsFrom((int) args[1], (int) args[2]);
                                    case "statusUpdate" -> statusUpdate((TaskStatus) args[1]);
                                    case "done" -> null;
                                    default ->
                                            throw new UnsupportedOperationException(
                                                    method.getName());
                                });
    }

    private synchronized MapTaskCompletionEventsUpdate eventsFrom(final int from, final int max)
            throws IOException {
        polls++;
        if (failure != null) {
            throw failure;
        }
        if (failuresToCome > 0) {
            failuresToCome--;
            throw new IOException("scripted");
        }
        final int to = Math.min(events.size(), from + max);
        return new MapTaskCompletionEventsUpdate(
                events.subList(from, to).toArray(TaskCompletionEvent.EMPTY_ARRAY), false);
    }

    /** The map attempts that a task's status has named as not to be fetched, in their order. */
    synchronized List<TaskAttemptID> fetchFailures() {
        return List.copyOf(fetchFailures);
    }

    /** A status of null is a sign of life. */
    private synchronized AMFeedback statusUpdate(final TaskStatus status) {
        statusUpdates++;
        if (status != null && status.getFetchFailedMaps() != null) {
            fetchFailures.addAll(status.getFetchFailedMaps());
        }
        final AMFeedback feedback = new AMFeedback();
        feedback.setTaskFound(true);
        return feedback;
    }
}
