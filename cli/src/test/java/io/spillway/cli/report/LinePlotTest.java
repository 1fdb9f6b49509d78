// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinePlotTest {
    @TempDir private Path folder;

    private static LinePlot plot() {
        return new LinePlot(
                "Memory & time",
                "input, GB",
                "memory, MB",
                List.of(
                        new LinePlot.Line(
                                "a<b",
                                0,
                                LinePlot.Style.SOLID,
                                List.of(new LinePlot.Point(1, 10), new LinePlot.Point(2, 30.25))),
                        new LinePlot.Line(
                                "limit",
                                1,
                                LinePlot.Style.BOUND,
                                List.of(new LinePlot.Point(1, 40)))));
    }

    @Test
    void writesAnImageAndAVectorGraphicWithItsTexts() throws IOException {
        final List<Path> files = plot().write(folder.resolve("new"), "memory");

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("memory.svg", "memory.png");
        assertThat(Files.readString(files.get(0)))
                .contains("<title>Memory &amp; time</title>")
                .contains("input, GB; memory, MB; a&lt;b 1.000: 10.00, 2.000: 30.25; limit")
                .contains("<path", "</svg>");
        assertThat(ImageIO.read(files.get(1).toFile()).getWidth()).isEqualTo(1000);
    }

    @Test
    void refusesToDrawNothing() {
        assertThatThrownBy(() -> new LinePlot("t", "x", "y", List.of()))
                .hasMessageContaining("lines=[]: expected at least one");
        assertThatThrownBy(
                        () ->
                                new LinePlot(
                                        "t",
                                        "x",
                                        "y",
                                        List.of(
                                                new LinePlot.Line(
                                                        "l", 0, LinePlot.Style.DOTTED, List.of()))))
                .hasMessageContaining("at least one point");
    }
}
