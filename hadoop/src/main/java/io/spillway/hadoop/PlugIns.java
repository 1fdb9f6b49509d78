package io.spillway.hadoop;

import java.io.IOException;

/** What the plug-ins share. */
final class PlugIns {
    /** A start-up step that may fail. */
    @FunctionalInterface
    interface Step<T> {
        /** Runs the step. */
        T run() throws IOException, ClassNotFoundException;
    }

    private PlugIns() {}

    /**
     * Runs a step, and turns a class or library that is missing into an {@link IOException}: Hadoop
     * falls back to the next collector on an {@code Exception}, but an {@code Error} kills the
     * task.
     */
    static <T> T guardLinkage(final Step<T> step) throws IOException, ClassNotFoundException {
        try {
            return step.run();
        } catch (final LinkageError e) {
            throw new IOException(
                    "Spillway cannot start on this host, a class or library is missing: " + e, e);
        }
    }
}
