package io.spillway.stream.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The bytes in which a server holds copies of segments that lie in no file, until they are sent.
 * Where there is no room, requests wait in line. Thread-safe.
 */
final class CopyMemory {
    /** A request in line. */
    private record Waiting(int length, Runnable granted) {}

    private final long most;
    private final Queue<Waiting> line = new ArrayDeque<>();
    private long taken;

    /**
     * Creates memory of which nothing is taken.
     *
     * @param most bytes taken at a time; one request is granted however long it is
     */
    CopyMemory(final long most) {
        this.most = most;
    }

    /**
     * Takes bytes, now or when it is this request's turn.
     *
     * @param length of a copy, in bytes
     * @param granted run when they are taken: at once by the caller, or later by a thread that
     *     gives bytes back; does not block and does not throw. They are to be given back then,
     *     whether they are needed still or not
     */
    void request(final int length, final Runnable granted) {
        synchronized (this) {
            if (!line.isEmpty() || !hasRoom(length)) {
                line.add(new Waiting(length, granted));
                return;
            }
            taken += length;
        }
        granted.run();
    }

    /** As many bytes as were granted are free again. */
    void giveBack(final int length) {
        final List<Runnable> turns = new ArrayList<>(1);
        synchronized (this) {
            taken -= length;
            while (!line.isEmpty() && hasRoom(line.element().length())) {
                final Waiting next = line.remove();
                taken += next.length();
                turns.add(next.granted());
            }
        }
        turns.forEach(Runnable::run);
    }

    private boolean hasRoom(final int length) {
        return taken == 0 || taken + length <= most;
    }

    /** The bytes that are taken. */
    synchronized long taken() {
        return taken;
    }
}
