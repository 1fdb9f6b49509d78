// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.site.WholeFile;
import io.spillway.report.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file with the NodeManagers that a rolling restart has restarted, so that the next one continues
 * where it stopped. Not thread-safe.
 */
final class RestartedNodes {
    private final Path file;

    /** When the JVM was started, by web address: another time means another process. */
    private final Map<String, Long> started = new TreeMap<>();

    private RestartedNodes(final Path file) {
        this.file = file;
    }

    /** Reads a file; none where there is no file. */
    static RestartedNodes in(final Path file) throws IOException {
        final RestartedNodes nodes = new RestartedNodes(file);
        if (Files.exists(file)) {
            nodes.started.putAll(
                    new ObjectMapper()
                            .readValue(file.toFile(), new TypeReference<Map<String, Long>>() {}));
        }
        return nodes;
    }

    int count() {
        return started.size();
    }

    boolean has(final String web, final long since) {
        return started.getOrDefault(web, -1L) == since;
    }

    void add(final String web, final long since) throws IOException {
        started.put(web, since);
        WholeFile.publish(file, JsonText.of(started));
    }

    /** Forgets all, when all were restarted. */
    void clear() throws IOException {
        started.clear();
        Files.deleteIfExists(file);
    }
}
