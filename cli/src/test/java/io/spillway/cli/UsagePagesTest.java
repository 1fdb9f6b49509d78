// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The texts that the script {@code spillway} prints for {@code --help} before anything is built.
 */
class UsagePagesTest {
    private static final Path FOLDER = Path.of("usage");
    private static final String WRITE = "spillway.usage.write";

    @Test
    void eachPageIsWhatItsCommandSays() throws IOException {
        final Map<String, String> expected = new TreeMap<>();
        collect("spillway", SpillwayCommand.newCommandLine(), expected);
        if (Boolean.getBoolean(WRITE)) {
            write(expected);
        }

        assertThat(pages())
                .as(
                        "stale: mvn -pl cli -am test -Dtest=UsagePagesTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dspillway.test.jvm=-D%s=true",
                        WRITE)
                .isEqualTo(expected);
    }

    private static void collect(
            final String name, final CommandLine command, final Map<String, String> pages) {
        command.setUsageHelpAutoWidth(false);
        pages.put(name + ".txt", command.getUsageMessage(CommandLine.Help.Ansi.OFF));
        command.getSubcommands()
                .forEach((word, subcommand) -> collect(name + "-" + word, subcommand, pages));
    }

    private static Map<String, String> pages() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.collect(
                    Collectors.toMap(
                            file -> file.getFileName().toString(),
                            UsagePagesTest::text,
                            (first, second) -> first,
                            TreeMap::new));
        }
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(final Map<String, String> pages) throws IOException {
        Files.createDirectories(FOLDER);
        for (final Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(FOLDER.resolve(page.getKey()), page.getValue());
        }
    }
}
