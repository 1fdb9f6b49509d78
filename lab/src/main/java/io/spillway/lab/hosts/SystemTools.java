// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds the commands of the system. */
public final class SystemTools {
    private SystemTools() {}

    /**
     * Which commands are not there.
     *
     * @param packages the package of each
     * @param path the folders of commands, as {@code PATH} has them
     * @return each that is missing with its package, in the order of their names
     */
    public static List<String> missing(final Map<String, String> packages, final String path) {
        return new TreeMap<>(packages)
                .entrySet().stream()
                        .filter(tool -> !isThere(tool.getKey(), path))
                        .map(tool -> tool.getKey() + " (package " + tool.getValue() + ")")
                        .toList();
    }

    private static boolean isThere(final String tool, final String path) {
        return Arrays.stream(path.split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }
}
