// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Searches files and memory for keys and values of a job. */
final class PlainText {
    /** It searches for one line of so many. */
    private static final int LINES_PER_MARKER = 9000;

    private static final int VALUE_END = 60;
    private static final int BLOCK = 16 << 20;

    private final Set<String> markers = new TreeSet<>();

    /** Reads some keys and values of each input file. */
    PlainText(final FailureSite site) {
        final List<String> lines = site.inputLines();
        for (int i = 0; i < lines.size(); i += LINES_PER_MARKER) {
            markers.add(lines.get(i).substring(0, GatedSort.KEY_LENGTH));
            markers.add(lines.get(i).substring(GatedSort.KEY_LENGTH, VALUE_END));
        }
    }

    /** Returns all searched keys and values. */
    Set<String> all() {
        return markers;
    }

    /** Searches files whose paths contain a text; it does not follow links. */
    Set<String> inFiles(final String name, final Collection<Path> folders) throws IOException {
        final Set<String> found = new TreeSet<>();
        for (final Path file : folders.stream().flatMap(PlainText::below).toList()) {
            if (file.toString().contains(name)) {
                addFound(content(file), found);
            }
        }
        return found;
    }

    /** Searches map outputs in all tiers of their nodes. */
    Set<String> inOutputs(final List<MapOutput> outputs) throws IOException {
        final Set<String> found = new TreeSet<>();
        for (final MapOutput output : outputs) {
            for (final byte[] stored : output.stored()) {
                addFound(new String(stored, StandardCharsets.ISO_8859_1), found);
            }
        }
        return found;
    }

    private static Stream<Path> below(final Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files
                    .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .toList()
                    .stream();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a file; empty where a daemon has deleted it meanwhile. */
    private static String content(final Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (final NoSuchFileException e) {
            return "";
        }
    }

    private void addFound(final String content, final Set<String> found) {
        markers.stream().filter(content::contains).forEach(found::add);
    }

    /** Searches the writable regions of a process's memory. */
    Set<String> inMemoryOf(final long pid) throws IOException {
        final Set<String> found = new TreeSet<>();
        final Path process = Path.of("/proc", Long.toString(pid));
        try (RandomAccessFile memory = new RandomAccessFile(process.resolve("mem").toFile(), "r")) {
            for (final long[] region : writable(process.resolve("maps"))) {
                for (long at = region[0]; at < region[1]; at += BLOCK - VALUE_END) {
                    addFound(read(memory, at, Math.min(BLOCK, region[1] - at)), found);
                }
            }
        }
        return found;
    }

    private static List<long[]> writable(final Path maps) throws IOException {
        final List<long[]> regions = new ArrayList<>();
        for (final String line : Files.readAllLines(maps, StandardCharsets.ISO_8859_1)) {
            final String[] words = line.split("[ -]", 4);
            if (words[2].startsWith("rw")) {
                regions.add(
                        new long[] {
                            Long.parseUnsignedLong(words[0], 16),
                            Long.parseUnsignedLong(words[1], 16)
                        });
            }
        }
        return regions;
    }

    /** Reads a region; empty where the process has freed it. */
    private static String read(final RandomAccessFile memory, final long at, final long length) {
        final byte[] block = new byte[(int) length];
        try {
            memory.seek(at);
            final int count = memory.read(block);
            return new String(block, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            return "";
        }
    }
}
