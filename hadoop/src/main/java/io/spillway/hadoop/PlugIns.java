// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.conf.UnknownSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;

/** What the plug-ins share. */
final class PlugIns {
    /** A start-up step that may fail. */
    @FunctionalInterface
    interface Step<T> {
        /** Runs the step. */
        T run() throws IOException, ClassNotFoundException;
    }

    private PlugIns() {}

    /** Warns of properties that look like settings of Spillway and are none; nothing else fails. */
    static void warnOfUnknownSettings(final Configuration conf, final Logger log) {
        final List<String> names = new ArrayList<>();
        for (final String rest : conf.getPropsWithPrefix(UnknownSettings.PREFIX).keySet()) {
            names.add(UnknownSettings.PREFIX + rest);
        }
        for (final String problem : UnknownSettings.problems(names)) {
            log.warn(problem);
        }
    }

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
