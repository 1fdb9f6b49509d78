package io.spillway.cli.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a JVM leaves in a module's folder when it ends by a signal: HotSpot's {@code
 * hs_err_pid*.log}, and the lines of a native library that surefire found on the standard output
 * ({@code *.dumpstream}). Without them the exit code 134 names no cause.
 */
final class CrashReports {
    private static final Pattern HOTSPOT = Pattern.compile("hs_err_pid\\d+\\.log");
    private static final Pattern SUREFIRE = Pattern.compile(".*\\.dumpstream");

    /** Where HotSpot (the working directory of tests) and surefire leave them, below a module. */
    private static final List<String> FOLDERS =
            List.of("", "target/surefire-reports", "target/failsafe-reports");

    private static final int MOST_FRAMES = 25;
    private static final int MOST_LINES = 60;

    private CrashReports() {}

    /** Deletes what former runs left. */
    static void clear(final Path root) throws IOException {
        for (final Path file : find(root)) {
            Files.delete(file);
        }
    }

    /** The lines that name a cause, each file under its path; empty where no JVM crashed. */
    static List<String> read(final Path root) throws IOException {
        final List<String> lines = new ArrayList<>();
        for (final Path file : find(root)) {
            final List<String> all = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
            lines.add(root.relativize(file) + ":");
            lines.addAll(isHotspots(file) ? causes(all) : last(all));
        }
        return lines;
    }

    private static List<Path> find(final Path root) throws IOException {
        final List<Path> found = new ArrayList<>();
        for (final Path module : list(root)) {
            if (!Files.exists(module.resolve("pom.xml"))) {
                continue;
            }
            for (final String folder : FOLDERS) {
                list(module.resolve(folder)).stream()
                        .filter(CrashReports::isReport)
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static List<Path> list(final Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static boolean isReport(final Path path) {
        return isHotspots(path) || SUREFIRE.matcher(path.getFileName().toString()).matches();
    }

    private static boolean isHotspots(final Path path) {
        return HOTSPOT.matcher(path.getFileName().toString()).matches();
    }

    /** The signal and the frame of the header, then the first stack. */
    private static List<String> causes(final List<String> lines) {
        final List<String> found = new ArrayList<>();
        int frames = 0;
        for (final String line : lines) {
            final boolean isHeader = line.startsWith("#  ") || line.startsWith("# C ");
            if (isHeader && frames == 0) {
                found.add("  " + line);
            } else if (isFrame(line) && frames < MOST_FRAMES) {
                found.add("  " + line);
                frames++;
            }
        }
        return found;
    }

    /** A line such as {@code C [libuct.so.0+0x1b2c3] uct_tcp_ep_progress+0x4}; J, j and V too. */
    private static boolean isFrame(final String line) {
        return line.matches("[CJjVv]  ?\\S.*");
    }

    private static List<String> last(final List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size()).stream()
                .filter(line -> !line.isBlank())
                .map(line -> "  " + line)
                .toList();
    }
}
