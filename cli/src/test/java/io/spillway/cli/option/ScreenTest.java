// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.Monitor;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ScreenTest {
    @Test
    void showsAFewPlainLinesWhereThereIsNoTerminal() {
        final StringWriter lines = new StringWriter();
        final Screen screen = new Screen(new PrintWriter(lines), Screen.Style.LINES);
        try (Monitor.Task task = screen.begin("Sort", 200)) {
            for (int done = 0; done < 200; done++) {
                task.at(done, "at " + done);
            }
            task.done("");
        }

        assertThat(lines.toString().lines())
                .hasSize(5)
                .startsWith("Sort ...", "Sort: at 50", "Sort: at 100", "Sort: at 150")
                .last()
                .asString()
                .startsWith("Sort: done in ");
    }

    @Test
    void quietShowsNothing() {
        final StringWriter lines = new StringWriter();
        final Screen screen = new Screen(new PrintWriter(lines), Screen.Style.NOTHING);
        screen.note("a note");
        try (Monitor.Task task = screen.begin("Sort", 10)) {
            task.at(9, "nearly");
            task.done("");
        }

        assertThat(lines.toString()).isEmpty();
    }
}
