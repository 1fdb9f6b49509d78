// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.util.List;

/**
 * Options of a JVM that lives for seconds and computes little: code compiled once, quickly, and no
 * threads to collect garbage in parallel. Not for tasks that are measured.
 */
public final class BriefJvm {
    /** The optimising compiler costs such a JVM more than it gives. */
    public static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

    /** One thread collects the garbage. */
    public static final String ONE_COLLECTOR = "-XX:+UseSerialGC";

    /** All of them. */
    public static final List<String> OPTIONS = List.of(ONE_COLLECTOR, ONE_COMPILER);

    private BriefJvm() {}

    /**
     * As Hadoop's properties take a JVM's options.
     *
     * @param heapMb largest heap in MiB
     */
    public static String line(final long heapMb) {
        return "-Xmx" + heapMb + "m " + String.join(" ", OPTIONS);
    }
}
