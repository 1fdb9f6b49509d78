package io.spillway.cli;

import io.spillway.bench.run.Monitor;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows how far long things are, on the error stream: a bar on a terminal, a few plain lines
 * elsewhere. One task at a time; not thread-safe.
 */
final class Screen implements Monitor {
    /** Set by the script when the error stream is a terminal. */
    static final String TERMINAL_PROPERTY = "spillway.terminal";

    private static final int STEPS_SHOWN = 4;

    private final PrintWriter lines;
    private final boolean isTerminal;

    Screen(final PrintWriter lines) {
        this(lines, Boolean.getBoolean(TERMINAL_PROPERTY));
    }

    Screen(final PrintWriter lines, final boolean isTerminal) {
        this.lines = lines;
        this.isTerminal = isTerminal;
    }

    /** One line. */
    void note(final String line) {
        lines.println(line);
        lines.flush();
    }

    @Override
    public Task begin(final String name, final long total) {
        return isTerminal ? new Bar(name, total) : new Plain(name, total);
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
                            .setStyle(ProgressBarStyle.COLORFUL_UNICODE_BLOCK)
                            .setUpdateIntervalMillis(200)
                            .hideEta()
                            .build();
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
