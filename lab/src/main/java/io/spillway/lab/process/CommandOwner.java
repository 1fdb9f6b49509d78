// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process with which a cluster ends. Another process may have its id by now. The time from the
 * machine's start to the process's start differs between the two.
 *
 * @param pid of the process
 * @param startTicks when it was started, in the kernel's ticks
 * @param machine which start of which machine, and which of its process id namespaces, this is
 *     about
 */
public record CommandOwner(long pid, long startTicks, String machine) {
    private static final Path PROC = Path.of("/proc");

    /** Of proc(5)'s fields behind the command's name, which is the second. */
    private static final int START_TIME = 22 - 3;

    private static final long GONE = -1;

    /** This process. */
    public static CommandOwner ofThisProcess() {
        return of(ProcessHandle.current().pid());
    }

    /** A process of this machine that lives. */
    public static CommandOwner of(final long pid) {
        return new CommandOwner(pid, startTicks(pid), thisMachine());
    }

    /**
     * Whether the process has provably ended. What another machine that shares the work folder has
     * started, or this one before its last start, is not for us to tell.
     */
    public boolean hasEnded() {
        return machine.equals(thisMachine()) && startTicks(pid) != startTicks;
    }

    /** Whether it is another process than this one, and provably still there. */
    public boolean livesElsewhere() {
        return pid != ProcessHandle.current().pid()
                && machine.equals(thisMachine())
                && startTicks(pid) == startTicks;
    }

    private static long startTicks(final long pid) {
        try {
            final String stat = Files.readString(PROC.resolve(pid + "/stat"));
            final String behindName = stat.substring(stat.lastIndexOf(')') + 2);
            return Long.parseLong(behindName.split(" ", -1)[START_TIME]);
        } catch (final IOException e) {
            return GONE;
        }
    }

    private static String thisMachine() {
        try {
            return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).trim()
                    + " "
                    + Files.readSymbolicLink(PROC.resolve("self/ns/pid"));
        } catch (final IOException e) {
            return "unknown"; // as /proc is: nothing is started then
        }
    }
}
