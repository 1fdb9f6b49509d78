// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.SpillwayCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The texts that the script {@code spillway} prints for {@code --help} before anything is built:
 * those of a release, and those of a checkout.
 */
class UsagePagesTest {
    private static final String WRITE = "spillway.usage.write";

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    /** The pages name all registered workloads; those of tests are not among them. */
    @BeforeEach
    void hideWhatTestsRegister() {
        ResourceBundle.clearCache(before);
        Thread.currentThread().setContextClassLoader(new WithoutTests(before));
    }

    @AfterEach
    void showItAgain() {
        ResourceBundle.clearCache(before);
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void eachPageOfAReleaseIsWhatItsCommandSays() throws IOException {
        check(SpillwayCommand.newCommandLine(), Path.of("../cli/usage"));
    }

    @Test
    void eachPageOfACheckoutIsWhatItsCommandSays() throws IOException {
        check(LabCommand.newCommandLine(), Path.of("usage"));
    }

    private static void check(final CommandLine command, final Path folder) throws IOException {
        final Map<String, String> expected = new TreeMap<>();
        collect("spillway", command, expected);
        if (Boolean.getBoolean(WRITE)) {
            write(expected, folder);
        }

        assertThat(pages(folder))
                .as(
                        "stale: mvn -pl lab -am test -Dtest=UsagePagesTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dspillway.test.jvm=-D%s=true",
                        WRITE)
                .isEqualTo(expected);
    }

    /** Finds no resources in the folder of test classes. */
    private static final class WithoutTests extends ClassLoader {
        WithoutTests(final ClassLoader parent) {
            super(parent);
        }

        @Override
        public Enumeration<URL> getResources(final String name) throws IOException {
            return Collections.enumeration(
                    Collections.list(super.getResources(name)).stream()
                            .filter(url -> !url.getPath().contains("/test-classes/"))
                            .toList());
        }
    }

    private static void collect(
            final String name, final CommandLine command, final Map<String, String> pages) {
        command.setUsageHelpAutoWidth(false);
        pages.put(name + ".txt", command.getUsageMessage(CommandLine.Help.Ansi.OFF));
        command.getSubcommands()
                .forEach((word, subcommand) -> collect(name + "-" + word, subcommand, pages));
    }

    private static Map<String, String> pages(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
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

    private static void write(final Map<String, String> pages, final Path folder)
            throws IOException {
        Files.createDirectories(folder);
        for (final Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }
}
