package io.spillway.transport.ucx;

import java.util.ArrayDeque;
import java.util.Deque;

/** Messages that are not on their way. Used by the thread of UCX. */
final class MessagePool {
    /** Above that, memory goes back to the system: a burst does not last. */
    private static final int MAX_KEPT = 4096;

    private final Deque<Message> kept = new ArrayDeque<>();

    /** An empty one; it comes back by itself when it was sent. */
    Message take() {
        final Message message = kept.poll();
        return message == null ? new Message(this) : message;
    }

    void putBack(final Message message) {
        if (kept.size() < MAX_KEPT) {
            kept.push(message);
        }
    }
}
