// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Tells, before anything starts, whether this machine can emulate hosts and a link. */
public final class HostSupport {
    private static final int ROOT = 0;

    /** Each tool and the package that has it. */
    private static final Map<String, String> TOOLS =
            new TreeMap<>(
                    Map.of(
                            "unshare", "util-linux",
                            "nsenter", "util-linux",
                            "mount", "mount",
                            "setsid", "util-linux",
                            "ip", "iproute2"));

    private static final String TC = "tc";

    private final int user;
    private final String path;
    private final Function<List<String>, String> attempt;

    /**
     * What is asked.
     *
     * @param user the id of the user that asks
     * @param path the folders of commands, as {@code PATH} has them
     * @param attempt runs a command; what it prints where it fails, else nothing
     */
    HostSupport(final int user, final String path, final Function<List<String>, String> attempt) {
        this.user = user;
        this.path = path;
        this.attempt = attempt;
    }

    /** Of this machine and user. */
    public static HostSupport ofThisMachine() {
        return new HostSupport(
                userId(),
                System.getenv().getOrDefault("PATH", ""),
                command -> SystemCommand.attempt(command, "").orElse(""));
    }

    private static int userId() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (final IOException | UnsupportedOperationException e) {
            return -1;
        }
    }

    /**
     * Checks all of it.
     *
     * @throws BadInputException that names, in one line, what is missing
     */
    public void require(final HostLink link) {
        if (user != ROOT) {
            throw new BadInputException(
                    "--hosts needs root, as network namespaces do; nodes that are plain processes"
                            + " do not: --nodes");
        }
        requireTools(link);
        requireNothingFrom(
                List.of("unshare", "--mount", "--net", "--uts", "--ipc", "true"),
                "--hosts: no namespaces can be made here");
        if (link.shaped()) {
            requireShaping(link);
        }
    }

    private void requireTools(final HostLink link) {
        final Map<String, String> needed = new TreeMap<>(TOOLS);
        if (link.shaped()) {
            needed.put(TC, "iproute2");
        }
        final List<String> missing = SystemTools.missing(needed, path);
        if (!missing.isEmpty()) {
            throw new BadInputException("--hosts: missing " + String.join(", ", missing));
        }
    }

    /** Tries both kinds in a namespace that is gone at once. */
    private void requireShaping(final HostLink link) {
        if (link.delayMicros() > 0) {
            requireNothingFrom(
                    shape(link.sending()),
                    "--link "
                            + link.name()
                            + ": this kernel has no netem (module sch_netem), which delays packets;"
                            + " the rate alone is --link "
                            + link.withoutDelay());
        }
        requireNothingFrom(
                shape(link.rate()),
                "--link "
                        + link.name()
                        + ": this kernel has no tbf (module sch_tbf), which bounds a rate; expected"
                        + " --link none");
    }

    private static List<String> shape(final List<String> kind) {
        final List<String> command = new ArrayList<>();
        command.addAll(List.of("unshare", "--net", TC, "qdisc", "add", "dev", "lo", "root"));
        command.addAll(kind);
        return command;
    }

    private void requireNothingFrom(final List<String> command, final String problem) {
        final String output = attempt.apply(command);
        if (!output.isEmpty()) {
            throw new BadInputException(problem + " (" + output + ")");
        }
    }
}
