// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.run.Monitor;
import io.spillway.node.control.NodeRefusedException;
import io.spillway.node.control.StatusClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Drains a node process, so that it can stop. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        description =
                "Has the node process of this host refuse new map outputs, and waits until it"
                        + " holds none: then it can stop, and no map runs again for it.",
        footer = {
            "",
            "New outputs go to other memory nodes or stay on the hosts of their maps. An output"
                    + " that has begun is still taken. The process serves its outputs until their"
                    + " jobs end. Ctrl-C ends the waiting, not the drain. The drain ends with"
                    + " --cancel or with the process (SIGTERM, node stop); a process that was"
                    + " killed and is started again is still drained.",
            "",
            "On a host with a NodeManager, tasks go on making outputs, which the host serves:"
                    + " let YARN decommission it gracefully (docs/memory-nodes.md, Drain).",
            "",
            "Exit codes: 0 the process can stop; 3 it still holds or serves outputs.",
            "",
            "Examples:",
            "  spillway node drain && spillway node stop",
            "  spillway node drain --timeout 600",
            "  spillway node drain --timeout 0 --json    begins, and prints what is held",
            "  spillway node drain --cancel"
        })
final class DrainCommand implements Callable<Integer> {
    /** Exit code: the process still holds or serves outputs. */
    static final int HOLDS = 3;

    private static final long PAUSE_MILLIS = 1000;

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private NodeOptions options;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Longest time to wait (default: until the process can stop).")
    private Long timeoutSeconds;

    @Option(names = "--cancel", description = "Ends the drain: the process takes outputs again.")
    private boolean cancel;

    @Option(names = "--json", description = "Prints the outcome as one line of JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (timeoutSeconds != null && (timeoutSeconds < 0 || cancel)) {
            throw new BadInputException(
                    "--timeout="
                            + timeoutSeconds
                            + ": expected 0 or more seconds, and not with --cancel");
        }
        final Path socket = options.socket(work.folder());
        final Screen screen = Screen.of(spec);
        final NodeHoldings first = begin(socket);
        if (cancel) {
            print(first);
            return 0;
        }
        first.advice().forEach(screen::note);
        final NodeHoldings last = await(socket, first, screen);
        print(last);
        return last.mayGo() ? 0 : HOLDS;
    }

    private NodeHoldings begin(final Path socket) {
        try {
            return NodeHoldings.of(StatusClient.drain(socket, !cancel));
        } catch (final NodeRefusedException e) {
            throw new CommandException(
                    "the node process at "
                            + socket
                            + " refuses: "
                            + e.getMessage()
                            + "; a former release cannot be drained",
                    e);
        } catch (final IOException e) {
            throw NodeCommands.noAnswer(socket, e);
        }
    }

    private NodeHoldings await(final Path socket, final NodeHoldings first, final Screen screen)
            throws InterruptedException {
        final long begun = System.nanoTime();
        NodeHoldings now = first;
        try (Monitor.Task task = screen.begin("drain", first.amount())) {
            while (!now.mayGo() && !isOver(begun)) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                now = ask(socket, now);
                task.at(first.amount() - now.amount(), now.summary());
            }
            if (now.mayGo()) {
                task.done(now.summary());
            }
        }
        return now;
    }

    private boolean isOver(final long begun) {
        return timeoutSeconds != null
                && System.nanoTime() - begun >= TimeUnit.SECONDS.toNanos(timeoutSeconds);
    }

    private static NodeHoldings ask(final Path socket, final NodeHoldings before) {
        final NodeHoldings now;
        try {
            now = NodeHoldings.of(StatusClient.ask(socket));
        } catch (final IOException e) {
            throw new CommandException(
                    "node process "
                            + before.pid()
                            + " answers no more ("
                            + e.getMessage()
                            + "); before that: "
                            + before.summary(),
                    e);
        }
        if (!now.isDraining()) {
            throw new CommandException(
                    "node process "
                            + now.pid()
                            + " takes outputs again: another command cancelled the drain, or the"
                            + " process was started again");
        }
        return now;
    }

    private void print(final NodeHoldings holdings) {
        final PrintWriter out = spec.commandLine().getOut();
        out.print(json ? holdings.json() + System.lineSeparator() : holdings.text());
        out.flush();
    }
}
