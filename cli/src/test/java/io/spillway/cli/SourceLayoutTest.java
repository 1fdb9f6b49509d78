package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the main sources of all modules are laid out. */
class SourceLayoutTest {
    private static final int MOST_CLASSES = 20;
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

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
        assertThat(sources).as("sources below %s", ROOT).hasSizeGreaterThan(MOST_CLASSES);
        return sources;
    }

    private static List<Path> classesBelow(final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .map(ROOT::relativize)
                    .toList();
        }
    }

    private static Map<Path, List<Path>> sourcesBy(final Function<Path, Path> property)
            throws IOException {
        return sources().stream()
                .collect(Collectors.groupingBy(property, TreeMap::new, Collectors.toList()));
    }

    @Test
    void noPackageOfAModuleHasMoreThanTwentyClasses() throws IOException {
        assertThat(sourcesBy(Path::getParent))
                .allSatisfy(
                        (folder, files) ->
                                assertThat(files).hasSizeLessThanOrEqualTo(MOST_CLASSES));
    }

    @Test
    void noTwoFilesHaveTheSameName() throws IOException {
        assertThat(sourcesBy(Path::getFileName))
                .allSatisfy((name, files) -> assertThat(files).hasSize(1));
    }
}
