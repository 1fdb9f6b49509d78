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
    /** What kind of value a setting takes; decides how it is parsed and documented. */
    public enum Type {
        BOOLEAN("boolean"),
        INTEGER("integer"),
        LONG("integer"),
        /** A count of bytes; the binary suffixes k, m, g and t are understood. */
        BYTES("bytes"),
        FRACTION("fraction"),
        NUMBER("number"),
        MILLIS("milliseconds"),
        CHOICE("choice"),
        LIST("comma-separated list"),
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

    private final String name;
    private final Type type;
    private final T defaultValue;
    private final String range;
    private final String doc;
    private final Function<String, T> parser;

    Setting(
            final String name,
            final Type type,
            final T defaultValue,
            final String range,
            final String doc,
            final Function<String, T> parser) {
        this.name = Objects.requireNonNull(name);
        this.type = Objects.requireNonNull(type);
        this.defaultValue = Objects.requireNonNull(defaultValue);
        this.range = Objects.requireNonNull(range);
        this.doc = Objects.requireNonNull(doc);
        this.parser = Objects.requireNonNull(parser);
    }

    /** The property name, as it stands in mapred-site.xml or yarn-site.xml. */
    public String name() {
        return name;
    }

    /** The kind of value. */
    public Type type() {
        return type;
    }

    /** The value used where the property is not set. */
    public T defaultValue() {
        return defaultValue;
    }

    /** The accepted range, in words. */
    public String range() {
        return range;
    }

    /** One line of documentation. */
    public String doc() {
        return doc;
    }

    /** The default as it would be written in a configuration file. */
    public String defaultText() {
        if (defaultValue instanceof List<?> list) {
            return String.join(",", list.stream().map(String::valueOf).toList());
        }
        if (type == Type.BYTES) {
            return Sizes.format((Long) defaultValue);
        }
        return String.valueOf(defaultValue);
    }

    /**
     * Reads this setting.
     *
     * @param lookup returns the text of a property, or null where it is not set; typically {@code
     *     configuration::getTrimmed}
     * @throws InvalidSettingException when the text is not a value of this setting's type and range
     */
    public T get(final Function<String, String> lookup) {
        final String text = lookup.apply(name);
        if (text == null || text.isBlank()) {
            return defaultValue;
        }
        try {
            return parser.apply(text.trim());
        } catch (final IllegalArgumentException e) {
            throw new InvalidSettingException(
                    String.format(
                            Locale.ROOT,
                            "%s=%s: expected %s, %s (default %s)",
                            name,
                            text.trim(),
                            type.label(),
                            range,
                            defaultText()),
                    e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
