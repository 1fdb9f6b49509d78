// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What values a setting takes: how one is read, written and described. Immutable.
 *
 * <p>Every task creates all settings when it starts, and the JVM makes a class for each lambda at
 * its first use. So kinds are classes, and texts of ranges are made when they are asked for.
 *
 * @param <T> the Java type of a value
 */
abstract sealed class ValueKind<T> {
    private final Setting.Type type;

    private ValueKind(final Setting.Type type) {
        this.type = type;
    }

    final Setting.Type type() {
        return type;
    }

    /** The accepted values, in words. */
    abstract String range();

    /**
     * Reads a value.
     *
     * @param text not blank, without white space around it
     * @throws IllegalArgumentException for what is no value of this kind
     */
    abstract T parse(String text);

    /** A value as it stands in a configuration file. */
    String text(final T value) {
        return String.valueOf(value);
    }

    private static IllegalArgumentException refused(final String text) {
        return new IllegalArgumentException(text);
    }

    private static String lowerCase(final String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** True or false. */
    static final class Flag extends ValueKind<Boolean> {
        Flag() {
            super(Setting.Type.BOOLEAN);
        }

        @Override
        String range() {
            return "true or false";
        }

        @Override
        Boolean parse(final String text) {
            return switch (lowerCase(text)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw refused(text);
            };
        }
    }

    /** Milliseconds, or bytes with the suffixes of {@link Sizes}. */
    static final class Amount extends ValueKind<Long> {
        private final long min;
        private final long max;

        Amount(final Setting.Type type, final long min, final long max) {
            super(type);
            this.min = min;
            this.max = max;
        }

        private boolean isOfBytes() {
            return type() == Setting.Type.BYTES;
        }

        @Override
        String range() {
            return text(min) + " to " + text(max);
        }

        @Override
        Long parse(final String text) {
            final long number = isOfBytes() ? Sizes.parse(text) : Long.parseLong(text);
            if (number < min || number > max) {
                throw refused(text);
            }
            return number;
        }

        @Override
        String text(final Long value) {
            return isOfBytes() ? Sizes.format(value) : value.toString();
        }
    }

    /** A whole number of the size of an int. */
    static final class Count extends ValueKind<Integer> {
        private final Amount amount;

        Count(final int min, final int max) {
            super(Setting.Type.INTEGER);
            this.amount = new Amount(Setting.Type.INTEGER, min, max);
        }

        @Override
        String range() {
            return amount.range();
        }

        @Override
        Integer parse(final String text) {
            return amount.parse(text).intValue();
        }
    }

    /** A number; a fraction is one above 0. */
    static final class Decimal extends ValueKind<Double> {
        private final double max;

        Decimal(final Setting.Type type, final double max) {
            super(type);
            this.max = max;
        }

        private boolean isFraction() {
            return type() == Setting.Type.FRACTION;
        }

        @Override
        String range() {
            return isFraction()
                    ? "above 0, at most " + max
                    : String.format(Locale.ROOT, "0 to %.0f", max);
        }

        @Override
        Double parse(final String text) {
            final double value = Double.parseDouble(text);
            final double min = isFraction() ? Double.MIN_VALUE : 0;
            if (!(value >= min && value <= max)) {
                throw refused(text);
            }
            return value;
        }
    }

    /** A directory or file, or one of the words that may stand for it. */
    static final class Place extends ValueKind<Location> {
        private final Set<Location> words;

        Place(final Set<Location> words) {
            super(Setting.Type.PATH);
            this.words = words;
        }

        @Override
        String range() {
            return Stream.concat(
                            words.stream().map(Location::toString).sorted(),
                            Stream.of("an absolute path"))
                    .collect(Collectors.joining(" or "));
        }

        @Override
        Location parse(final String text) {
            for (final Location word : words) {
                if (word.toString().equalsIgnoreCase(text)) {
                    return word;
                }
            }
            if (!text.startsWith("/")) {
                throw refused(text);
            }
            return Location.of(Path.of(text));
        }
    }

    /** A Unix socket. */
    static final class Socket extends ValueKind<Location> {
        /** What the kernel's {@code sun_path} takes. */
        private static final int MAX_LENGTH = 107;

        private final Place place = new Place(Set.of(Location.AUTO));

        Socket() {
            super(Setting.Type.PATH);
        }

        @Override
        String range() {
            return place.range() + " of at most " + MAX_LENGTH + " bytes";
        }

        @Override
        Location parse(final String text) {
            final boolean isFolder = text.endsWith("/");
            if (isFolder || text.getBytes(StandardCharsets.UTF_8).length > MAX_LENGTH) {
                throw refused(text);
            }
            return place.parse(text);
        }
    }

    /** Text that matches a pattern. */
    static final class Words extends ValueKind<String> {
        private final String pattern;
        private final String range;

        Words(final String pattern, final String range) {
            super(Setting.Type.TEXT);
            this.pattern = pattern;
            this.range = range;
        }

        @Override
        String range() {
            return range;
        }

        @Override
        String parse(final String text) {
            if (!text.matches(pattern)) {
                throw refused(text);
            }
            return text;
        }
    }

    /** Auto, or one of what is registered. */
    static final class OneOf extends ValueKind<String> {
        private final RegisteredNames names;

        OneOf(final RegisteredNames names) {
            super(Setting.Type.CHOICE);
            this.names = names;
        }

        @Override
        String range() {
            return "one of " + String.join(", ", names.withAuto());
        }

        @Override
        String parse(final String text) {
            final String value = lowerCase(text);
            if (!names.withAuto().contains(value)) {
                throw refused(text);
            }
            return value;
        }
    }

    /** Some of what is registered, in an order, each once; or auto alone. */
    static final class Some extends ValueKind<List<String>> {
        private final RegisteredNames names;

        Some(final RegisteredNames names) {
            super(Setting.Type.LIST);
            this.names = names;
        }

        @Override
        String range() {
            return "any of " + String.join(", ", names.withAuto());
        }

        @Override
        List<String> parse(final String text) {
            final List<String> values = List.of(lowerCase(text).split("\\s*,\\s*", -1));
            final boolean mixesAuto = values.contains(Setting.AUTO) && values.size() > 1;
            if (mixesAuto
                    || !names.withAuto().containsAll(values)
                    || new HashSet<>(values).size() < values.size()) {
                throw refused(text);
            }
            return values;
        }

        @Override
        String text(final List<String> value) {
            return String.join(",", value);
        }
    }

    /** A constant of an enum, by its name in lower case with dashes. */
    static final class Constant<E extends Enum<E>> extends ValueKind<E> {
        private final Class<E> choices;

        Constant(final Class<E> choices) {
            super(Setting.Type.CHOICE);
            this.choices = choices;
        }

        private List<String> texts() {
            final List<String> texts = new ArrayList<>();
            for (final E choice : choices.getEnumConstants()) {
                texts.add(text(choice));
            }
            return texts;
        }

        @Override
        String range() {
            return "one of " + String.join(", ", texts());
        }

        @Override
        E parse(final String text) {
            final int index = texts().indexOf(lowerCase(text));
            if (index < 0) {
                throw refused(text);
            }
            return choices.getEnumConstants()[index];
        }

        @Override
        String text(final E value) {
            return nameOf(value);
        }

        /** The name of a constant in configuration files, such as {@code every-node}. */
        static String nameOf(final Enum<?> value) {
            return lowerCase(value.name()).replace('_', '-');
        }
    }

    /** A value of another kind, or a word that stands for the absence of one. */
    static final class OrWord<T> extends ValueKind<Optional<T>> {
        private final String word;
        private final ValueKind<T> kind;

        OrWord(final String word, final ValueKind<T> kind) {
            super(kind.type());
            this.word = word;
            this.kind = kind;
        }

        @Override
        String range() {
            return word + ", or " + kind.range();
        }

        @Override
        Optional<T> parse(final String text) {
            return text.equalsIgnoreCase(word) ? Optional.empty() : Optional.of(kind.parse(text));
        }

        @Override
        String text(final Optional<T> value) {
            return value.isPresent() ? kind.text(value.get()) : word;
        }
    }
}
