// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links within the documentation: the file is there, and so is the heading. */
class MarkdownLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern EXTERNAL = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final String FENCE = "```";

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyRelativeLinkLeadsSomewhere() throws IOException {
        final List<String> links = new ArrayList<>();
        final List<String> dead = new ArrayList<>();
        for (final Path page : pages()) {
            for (final String link : linksOf(page)) {
                links.add(link);
                if (!leadsSomewhere(page, link)) {
                    dead.add(ROOT.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(links).hasSizeGreaterThan(50);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.getFileName().toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> linksOf(final Path page) throws IOException {
        final List<String> links = new ArrayList<>();
        for (final String line : textLines(page)) {
            final Matcher matcher = LINK.matcher(CODE.matcher(line).replaceAll(""));
            while (matcher.find()) {
                if (!EXTERNAL.matcher(matcher.group(1)).matches()) {
                    links.add(matcher.group(1));
                }
            }
        }
        return links;
    }

    /** Without blocks of code. */
    private static List<String> textLines(final Path page) throws IOException {
        final List<String> text = new ArrayList<>();
        boolean isCode = false;
        for (final String line : Files.readAllLines(page)) {
            if (line.strip().startsWith(FENCE)) {
                isCode = !isCode;
            } else if (!isCode) {
                text.add(line);
            }
        }
        return text;
    }

    private boolean leadsSomewhere(final Path page, final String link) throws IOException {
        final int hash = link.indexOf('#');
        final String file = hash < 0 ? link : link.substring(0, hash);
        final Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!target.startsWith(ROOT) || !Files.exists(target)) {
            return false;
        }
        return hash < 0 || anchorsOf(target).contains(link.substring(hash + 1));
    }

    private Set<String> anchorsOf(final Path page) throws IOException {
        Set<String> known = anchors.get(page);
        if (known == null) {
            known = new HashSet<>();
            for (final String line : textLines(page)) {
                final Matcher heading = HEADING.matcher(line);
                if (heading.matches()) {
                    known.add(anchor(heading.group(1)));
                }
            }
            anchors.put(page, known);
        }
        return known;
    }

    /** As forges make them: letters, digits, hyphens and underscores, in lower case. */
    private static String anchor(final String heading) {
        return heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
