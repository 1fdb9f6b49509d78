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
    private static final String LABORATORY = "io.spillway.lab";
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern PACKAGE =
            Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern OURS =
            Pattern.compile("\\b(io\\.spillway(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    /** Comments and texts, in which a name is no dependency. */
    private static final Pattern NO_CODE =
            Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:[^\"\\\\]++|\\\\.)*+\"", Pattern.DOTALL);

    /** The adapter of MapReduce, and what runs and measures its jobs. */
    private static final Set<String> OF_MAPREDUCE = Set.of("hadoop", "cli", "lab");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    /** Types of MapReduce and YARN, their ids, and YARN's folders. */
    private static final Pattern MAPREDUCE =
            Pattern.compile(
                    "org\\.apache\\.hadoop\\.(mapred|mapreduce|yarn)\\b"
                            + "|\\b(job|task|attempt|application|container)_[0-9%\"\\[]"
                            + "|_[mr]_[0-9%\"\\[]|\\b(usercache|appcache)\\b|\\bfile\\.out\"");

    private static final Pattern TYPE = Pattern.compile("\\b(?:class|enum|record)\\s+(\\w+)");

    /**
     * A constructor's or a record's name and what is in its parentheses, if these nest no others.
     */
    private static final Pattern HEADER =
            Pattern.compile(
                    "(?<![\\w.)])(?<!\\bnew )(?<!\\breturn )(\\w+)(?:<[^<>()]*>)?\\(([^()]*)\\)"
                            + "\\s*(?:throws [\\w., ]+|implements [\\w.,<> ]+)?\\{");

    private static final Pattern TYPE_ARGUMENTS = Pattern.compile("<[^<>]*>");
    private static final int WIDE = 7;

    /** The wide ones that there are. None is added: what belongs together gets a name. */
    private static final int MOST_WIDE = 42;

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

    /** What is installed on a cluster needs nothing of what measures. */
    @Test
    void onlyTheLaboratoryUsesTheLaboratory() throws IOException {
        final Map<String, Set<String>> arrows = arrows(sources());

        assertThat(arrows.keySet()).anyMatch(SourceLayoutTest::isLaboratory);
        arrows.forEach(
                (from, to) -> {
                    if (!isLaboratory(from)) {
                        assertThat(to).as(from).noneMatch(SourceLayoutTest::isLaboratory);
                    }
                });
    }

    private static boolean isLaboratory(final String name) {
        return name.equals(LABORATORY) || name.startsWith(LABORATORY + ".");
    }

    @Test
    void onlyTheAdapterAndTheToolsKnowMapReduce() throws IOException {
        final List<String> found = new ArrayList<>();
        for (final Path source : sources()) {
            final Path inProject = ROOT.relativize(source);
            if (!OF_MAPREDUCE.contains(inProject.getName(0).toString())) {
                final String code = COMMENT.matcher(Files.readString(source)).replaceAll(" ");
                namesOfMapReduce(code).forEach(name -> found.add(inProject + ": " + name));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void namesOfMapReduceAreFound() {
        assertThat(
                        List.of(
                                "import org.apache.hadoop.mapred.JobConf;",
                                "import org.apache.hadoop.yarn.api.ApplicationConstants;",
                                "\"job_\" + number",
                                "\"attempt_%s_m_%06d_0\"",
                                "folder.resolve(\"usercache\")",
                                "folder.resolve(\"file.out\")"))
                .allSatisfy(code -> assertThat(namesOfMapReduce(code)).isNotEmpty());
        assertThat(namesOfMapReduce("import org.apache.hadoop.conf.Configuration;")).isEmpty();
    }

    private static List<String> namesOfMapReduce(final String code) {
        return MAPREDUCE.matcher(code).results().map(MatchResult::group).toList();
    }

    @Test
    void noTwoFilesHaveTheSameName() throws IOException {
        final Map<Path, List<Path>> byName =
                sources().stream().collect(Collectors.groupingBy(Path::getFileName));
        assertThat(byName).allSatisfy((name, files) -> assertThat(files).hasSize(1));
    }

    /** Constructors and records of many arguments, by the names of their types. */
    private static List<String> wide(final String text) {
        final String code = NO_CODE.matcher(text).replaceAll(" ");
        final Set<String> types =
                TYPE.matcher(code)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toSet());
        return HEADER.matcher(code)
                .results()
                .filter(match -> types.contains(match.group(1)))
                .filter(match -> arguments(match.group(2)) >= WIDE)
                .map(match -> match.group(1))
                .toList();
    }

    private static int arguments(final String list) {
        String left = list;
        String plain = TYPE_ARGUMENTS.matcher(left).replaceAll("");
        while (!plain.equals(left)) {
            left = plain;
            plain = TYPE_ARGUMENTS.matcher(left).replaceAll("");
        }
        return plain.isBlank() ? 0 : plain.split(",").length;
    }

    @Test
    void fewConstructorsTakeManyArguments() throws IOException {
        final List<String> wide = new ArrayList<>();
        for (final Path source : sources()) {
            wide.addAll(wide(Files.readString(source)));
        }

        assertThat(wide)
                .as("types with a constructor of %d arguments or more", WIDE)
                .hasSizeLessThanOrEqualTo(MOST_WIDE);
    }

    @Test
    void aConstructorOfManyArgumentsIsFound() {
        final String seven = "int a, Map<String, List<int[]>> b, int c, int d, int e, int f, int g";

        assertThat(wide("record Wide<T>(" + seven + ") implements Runnable {}")).hasSize(1);
        assertThat(wide("class Wide { Wide(" + seven + ") throws A, B {} }")).hasSize(1);
        assertThat(wide("class Wide { void wide(" + seven + ") {} }")).isEmpty();
        assertThat(wide("class Narrow { Narrow(int a, Map<String, String> b) {} }")).isEmpty();
    }
}
