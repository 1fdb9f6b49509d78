// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the main sources of all modules are laid out. */
class SourceLayoutTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern PACKAGE =
            Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern OURS =
            Pattern.compile("\\b(io\\.spillway(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    /** Comments and texts, in which a name is no dependency. */
    private static final Pattern NO_CODE =
            Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:[^\"\\\\]++|\\\\.)*+\"", Pattern.DOTALL);

    private static List<Path> sources() throws IOException {
        final List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (final Path module : modules.toList()) {
                final Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    sources.addAll(classesBelow(main));
                }
            }
        }
        assertThat(sources).as("sources below %s", ROOT).hasSizeGreaterThan(100);
        return sources;
    }

    private static List<Path> classesBelow(final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .toList();
        }
    }

    /** For each package the packages that its sources name, constants included. */
    private static Map<String, Set<String>> arrows(final List<Path> sources) throws IOException {
        final Map<String, Set<String>> arrows = new TreeMap<>();
        for (final Path source : sources) {
            final String text = Files.readString(source);
            final String from = PACKAGE.matcher(text).results().findFirst().orElseThrow().group(1);
            final Set<String> to = arrows.computeIfAbsent(from, key -> new TreeSet<>());
            OURS.matcher(NO_CODE.matcher(text).replaceAll(" "))
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .filter(name -> !name.equals(from))
                    .forEach(to::add);
        }
        return arrows;
    }

    private static Set<String> reachable(
            final Map<String, Set<String>> arrows, final String start) {
        final Set<String> seen = new TreeSet<>();
        final Deque<String> open = new ArrayDeque<>(arrows.getOrDefault(start, Set.of()));
        while (!open.isEmpty()) {
            final String next = open.pop();
            if (seen.add(next)) {
                open.addAll(arrows.getOrDefault(next, Set.of()));
            }
        }
        return seen;
    }

    /** Bytecode does not show all: constants of other classes are copied into it. */
    @Test
    void noCycleLeadsFromAPackageBackToIt() throws IOException {
        final Map<String, Set<String>> arrows = arrows(sources());

        assertThat(arrows.keySet()).as("packages").hasSizeGreaterThan(20);
        assertThat(arrows.keySet())
                .allSatisfy(name -> assertThat(reachable(arrows, name)).doesNotContain(name));
    }

    @Test
    void aCycleIsFound() {
        final Map<String, Set<String>> arrows =
                Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("a"), "d", Set.of("a"));

        assertThat(reachable(arrows, "a")).contains("a");
        assertThat(reachable(arrows, "d")).doesNotContain("d");
    }

    @Test
    void noTwoFilesHaveTheSameName() throws IOException {
        final Map<Path, List<Path>> byName =
                sources().stream().collect(Collectors.groupingBy(Path::getFileName));
        assertThat(byName).allSatisfy((name, files) -> assertThat(files).hasSize(1));
    }
}
