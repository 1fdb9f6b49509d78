// SPDX-License-Identifier: Apache-2.0
package io.spillway.version;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Which release of Spillway this is, as every process says in its log. */
public final class Release {
    /** As the root pom has it, such as {@code 0.1.0}. */
    public static final String VERSION = read();

    private Release() {}

    private static String read() {
        try (InputStream resource = Release.class.getResourceAsStream("release.txt")) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
