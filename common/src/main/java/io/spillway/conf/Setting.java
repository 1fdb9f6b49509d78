// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

/**
 * One typed setting: its name, default, range and one line of documentation.
 *
 * <p>Immutable and thread-safe. A value that cannot be read, or lies outside the range, is never
 * replaced by a default: {@link #get} throws, and the message names the setting, its value and what
 * was expected.
 *
 * @param <T> the Java type of the value
 */
public final class Setting<T> {
    /** Stands for what Spillway derives from the mode, the host or the heap. */
    public static final String AUTO = "auto";

    /** Stands for nothing of the kind. */
    public static final String NONE = "none";

    /** Who changes a setting; each has a table of its own in the documentation. */
    public enum Audience {
        /** The operator of the nodes, once for all jobs. */
        SITE,
        /** The user who submits a job. */
        JOB,
        /** A user who measures; everywhere else the default is right. */
        EXPERIMENT
    }

    /** What reads a setting, always once, when it starts. */
    public enum Reader {
        NODE_MANAGER("NodeManager"),
        NODE_PROCESS("node process"),
        MAP_TASK("map tasks"),
        REDUCE_TASK("reduce tasks");

        private final String label;

        Reader(final String label) {
            this.label = label;
        }

        /** The name in the documentation. */
        public String label() {
            return label;
        }

        /** Whether it outlives a job, so that a change takes effect by its restart only. */
        public boolean isDaemon() {
            return this == NODE_MANAGER || this == NODE_PROCESS;
        }
    }

    /** What kind of value a setting takes; decides how it is parsed and documented. */
    public enum Type {
        BOOLEAN("boolean"),
        INTEGER("integer"),
        /** A count of bytes; the binary suffixes k, m, g and t are understood. */
        BYTES("bytes"),
        FRACTION("fraction"),
        NUMBER("number"),
        MILLIS("milliseconds"),
        CHOICE("choice"),
        LIST("comma-separated list"),
        /** A directory, file or socket; see {@link Location}. */
        PATH("path"),
        TEXT("text");

        private final String label;

        Type(final String label) {
            this.label = label;
        }

        /** The name of the type in the documentation. */
        public String label() {
            return label;
        }
    }

    private final Declaration declaration;
    private final ValueKind<T> kind;
    private final T defaultValue;
    private final String doc;

    Setting(
            final Declaration declaration,
            final ValueKind<T> kind,
            final T defaultValue,
            final String doc) {
        this.declaration = Objects.requireNonNull(declaration);
        this.kind = Objects.requireNonNull(kind);
        this.defaultValue = Objects.requireNonNull(defaultValue);
        this.doc = Objects.requireNonNull(doc);
    }

    /** The property name, as it stands in mapred-site.xml or yarn-site.xml. */
    public String name() {
        return declaration.name();
    }

    /** Who changes it. */
    public Audience audience() {
        return declaration.audience();
    }

    /** What reads it. */
    public List<Reader> readers() {
        return declaration.readers();
    }

    /** The kind of value. */
    public Type type() {
        return kind.type();
    }

    /** The value used where the property is not set. */
    public T defaultValue() {
        return defaultValue;
    }

    /** The accepted range, in words. */
    public String range() {
        return kind.range();
    }

    /** One line of documentation. */
    public String doc() {
        return doc;
    }

    /** The default as it would be written in a configuration file. */
    public String defaultText() {
        return kind.text(defaultValue);
    }

    /**
     * Reads this setting.
     *
     * @param lookup returns the text of a property, or null where it is not set; typically {@code
     *     configuration::getTrimmed}
     * @throws InvalidSettingException when the text is not a value of this setting's type and range
     */
    public T get(final Function<String, String> lookup) {
        final String set = lookup.apply(name());
        if (set == null || set.isBlank()) {
            return defaultValue;
        }
        try {
            return kind.parse(set.trim());
        } catch (final IllegalArgumentException e) {
            throw new InvalidSettingException(
                    String.format(
                            Locale.ROOT,
                            "%s=%s: expected %s, %s (default %s)",
                            name(),
                            set.trim(),
                            type().label(),
                            range(),
                            defaultText()),
                    e);
        }
    }

    /**
     * What to throw where a value is of the right type and range, and yet cannot be had here.
     *
     * @param value that is set
     * @param most the largest that can be had
     * @param because what bounds it, with its own figure
     */
    public InvalidSettingException tooLarge(final T value, final T most, final String because) {
        return new InvalidSettingException(
                String.format(
                        Locale.ROOT,
                        "%s=%s: expected at most %s: %s",
                        name(),
                        kind.text(value),
                        kind.text(most),
                        because));
    }

    @Override
    public String toString() {
        return name();
    }
}
