// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * What a setting of a directory or file says: a path, nowhere ({@value Setting#NONE}), or the place
 * that Spillway takes by itself ({@value Setting#AUTO}). Immutable.
 */
public final class Location {
    /** The place that Spillway takes by itself. */
    public static final Location AUTO = new Location(null, Setting.AUTO);

    /** Nowhere. */
    public static final Location NONE = new Location(null, Setting.NONE);

    private final Path pathOrNull;
    private final String text;

    private Location(final Path pathOrNull, final String text) {
        this.pathOrNull = pathOrNull;
        this.text = text;
    }

    /** A place that is named. */
    public static Location of(final Path path) {
        return new Location(Objects.requireNonNull(path, "path"), path.toString());
    }

    /** The path that is named; nothing for {@link #AUTO} and {@link #NONE}. */
    public Optional<Path> path() {
        return Optional.ofNullable(pathOrNull);
    }

    /** The path that is named or, for {@link #AUTO}, that is given; nothing for {@link #NONE}. */
    public Optional<Path> orAuto(final Path auto) {
        return equals(AUTO) ? Optional.of(auto) : path();
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Location location && text.equals(location.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As it stands in a configuration file. */
    @Override
    public String toString() {
        return text;
    }
}
