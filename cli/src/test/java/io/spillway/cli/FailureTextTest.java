// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.WorkOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureTextTest {
    @TempDir private Path root;
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void pretendToBeStartedByTheScript() {
        System.setProperty(WorkOptions.ROOT_PROPERTY, root.toString());
    }

    @AfterEach
    void stopPretending() {
        System.clearProperty(WorkOptions.ROOT_PROPERTY);
    }

    private FailureText text(final boolean verbose) {
        return new FailureText(new PrintWriter(err), verbose);
    }

    @Test
    void whatIsKnownIsOneLineWithItsCode() {
        assertThat(text(false).explain(new BadInputException("--size 1x: expected a size")))
                .isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("spillway: --size 1x: expected a size");
    }

    @Test
    void whatIsUnexpectedIsOneLineThatNamesTheFileWithTheRest() throws IOException {
        assertThat(text(false).explain(new IllegalStateException("broken"))).isEqualTo(1);

        final Path log = root.resolve(".spillway/errors.log");
        assertThat(err.toString().lines()).singleElement().asString().contains("broken", "" + log);
        assertThat(Files.readString(log))
                .contains("IllegalStateException: broken", "at " + FailureTextTest.class.getName());
    }

    @Test
    void verboseShowsWhereItComesFrom() {
        text(true).explain(new IllegalStateException("broken"));

        assertThat(err.toString()).contains("at " + FailureTextTest.class.getName());
    }
}
