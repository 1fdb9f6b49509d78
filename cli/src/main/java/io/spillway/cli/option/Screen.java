// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.run.Monitor;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Shows how far long things are, on the error stream: a bar on a terminal, a few plain lines
 * elsewhere, nothing with --quiet. One task at a time; not thread-safe.
 */
public final class Screen implements Monitor {
    /** Set by the script when the error stream is a terminal. */
    public static final String TERMINAL_PROPERTY = "spillway.terminal";

    private static final int STEPS_SHOWN = 4;

    /** How much is shown. */
    public enum Style {
        BARS,
        LINES,
        NOTHING
    }

    private final PrintWriter lines;
    private final Style style;

    public Screen(final PrintWriter lines, final Style style) {
        this.lines = lines;
        this.style = style;
    }

    /** The screen of a command, as the options of the whole command line want it. */
    public static Screen of(final CommandSpec command) {
        final PrintWriter err = command.commandLine().getErr();
        if (((Verbosity) command.root().userObject()).isQuiet()) {
            return new Screen(err, Style.NOTHING);
        }
        return new Screen(err, Boolean.getBoolean(TERMINAL_PROPERTY) ? Style.BARS : Style.LINES);
    }

    /** One line. */
    public void note(final String line) {
        if (style == Style.NOTHING) {
            return;
        }
        lines.println(line);
        lines.flush();
    }

    @Override
    public Task begin(final String name, final long total) {
        return style == Style.BARS ? new Bar(name, total) : new Plain(name, total);
    }

    private static final class Bar implements Task {
        private final ProgressBar bar;
        private final long total;

        Bar(final String name, final long total) {
            this.total = total;
            this.bar =
                    new ProgressBarBuilder()
                            .setTaskName(String.format(Locale.ROOT, "%-24s", name))
                            .setInitialMax(total)
                            .setStyle(style())
                            .setUpdateIntervalMillis(200)
                            .hideEta()
                            .build();
        }

        /** Without colours where the user wants none: no-color.org. */
        private static ProgressBarStyle style() {
            final String noColor = System.getenv("NO_COLOR");
            return noColor == null || noColor.isEmpty()
                    ? ProgressBarStyle.COLORFUL_UNICODE_BLOCK
                    : ProgressBarStyle.UNICODE_BLOCK;
        }

        @Override
        public void at(final long done, final String detail) {
            bar.stepTo(Math.min(done, total));
            bar.setExtraMessage(detail);
        }

        @Override
        public void done(final String detail) {
            at(total, detail);
        }

        @Override
        public void close() {
            bar.close();
        }
    }

    private final class Plain implements Task {
        private final String name;
        private final long total;
        private final long begun = System.nanoTime();
        private long shown;

        Plain(final String name, final long total) {
            this.name = name;
            this.total = total;
            note(name + " ...");
        }

        @Override
        public void at(final long done, final String detail) {
            final long step = done * STEPS_SHOWN / Math.max(1, total);
            if (step > shown && done < total) {
                shown = step;
                note(name + ": " + detail);
            }
        }

        @Override
        public void done(final String detail) {
            final double seconds = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1e3;
            note(String.format(Locale.ROOT, "%s: done in %.1f s %s", name, seconds, detail).trim());
        }
    }
}
