package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.util.ArrayDeque;
import java.util.Deque;

/** Messages that are not on their way. Used by the thread of UCX. */
final class MessagePool {
    /** Above that, memory goes back to the system: a burst does not last. */
    private static final int MAX_KEPT = 4096;

    private final DirectMemory memory;
    private final Deque<Message> kept = new ArrayDeque<>();

    MessagePool(final DirectMemory memory) {
        this.memory = memory;
    }

    /**
     * An empty one; it comes back by itself when it was sent.
     *
     * @throws OutOfMemoryError where there is no memory for it
     */
    Message take() {
        final Message message = kept.poll();
        return message == null
                ? new Message(this, memory.allocate(Envelope.MAX_MESSAGE_HEADER))
                : message;
    }

    void putBack(final Message message) {
        if (kept.size() < MAX_KEPT) {
            kept.push(message);
        }
    }
}
