package io.spillway.conf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The first half of a setting's declaration: its name, who changes it and what reads it. Each
 * method gives the other half, its kind of value, and makes the setting. Immutable.
 *
 * @param registry takes each setting that is made
 */
record Declaration(
        String name,
        Setting.Audience audience,
        List<Setting.Reader> readers,
        Consumer<Setting<?>> registry) {
    /** What the kernel's {@code sun_path} takes. */
    private static final int MAX_SOCKET_LENGTH = 107;

    Declaration {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(audience, "audience");
        Objects.requireNonNull(registry, "registry");
        readers = List.copyOf(readers);
        if (readers.isEmpty()) {
            throw new IllegalArgumentException(name + ": nothing reads it");
        }
    }

    <T> Setting<T> of(
            final Setting.Type type,
            final T def,
            final String range,
            final Function<String, T> parser,
            final String doc) {
        final Setting<T> setting = new Setting<>(this, type, def, range, parser, doc);
        registry.accept(setting);
        return setting;
    }

    /** A value, or a word that stands for the absence of one. */
    private <T> Setting<Optional<T>> orWord(
            final String word,
            final Setting.Type type,
            final Optional<T> def,
            final String range,
            final Function<String, T> parser,
            final String doc) {
        final Setting<Optional<T>> setting =
                new Setting<>(
                        this,
                        type,
                        def,
                        word + ", or " + range,
                        text ->
                                text.equalsIgnoreCase(word)
                                        ? Optional.empty()
                                        : Optional.of(parser.apply(text)),
                        doc,
                        value -> value.map(v -> Setting.textOf(type, v)).orElse(word));
        registry.accept(setting);
        return setting;
    }

    Setting<Boolean> bool(final boolean def, final String doc) {
        return of(Setting.Type.BOOLEAN, def, "true or false", Declaration::parseBoolean, doc);
    }

    Setting<Optional<Boolean>> boolOrAuto(final String doc) {
        return orWord(
                SpillwayKeys.AUTO,
                Setting.Type.BOOLEAN,
                Optional.empty(),
                "true or false",
                Declaration::parseBoolean,
                doc);
    }

    private static boolean parseBoolean(final String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    Setting<Integer> integer(final int def, final int min, final int max, final String doc) {
        return of(
                Setting.Type.INTEGER,
                def,
                min + " to " + max,
                text -> parseInteger(text, min, max),
                doc);
    }

    Setting<Optional<Integer>> integerOrAuto(final int min, final int max, final String doc) {
        return orWord(
                SpillwayKeys.AUTO,
                Setting.Type.INTEGER,
                Optional.empty(),
                min + " to " + max,
                text -> parseInteger(text, min, max),
                doc);
    }

    Setting<Optional<Integer>> integerOrNone(
            final int def, final int min, final int max, final String doc) {
        return orWord(
                SpillwayKeys.NONE,
                Setting.Type.INTEGER,
                Optional.of(def),
                min + " to " + max,
                text -> parseInteger(text, min, max),
                doc);
    }

    private static int parseInteger(final String text, final int min, final int max) {
        return (int) inRange(Long.parseLong(text), min, max);
    }

    Setting<Long> millis(final long def, final long min, final long max, final String doc) {
        return of(
                Setting.Type.MILLIS,
                def,
                min + " to " + max,
                text -> inRange(Long.parseLong(text), min, max),
                doc);
    }

    Setting<Optional<Long>> millisOrNone(
            final long def, final long min, final long max, final String doc) {
        return orWord(
                SpillwayKeys.NONE,
                Setting.Type.MILLIS,
                Optional.of(def),
                min + " to " + max,
                text -> inRange(Long.parseLong(text), min, max),
                doc);
    }

    Setting<Long> bytes(final long def, final long min, final long max, final String doc) {
        return of(
                Setting.Type.BYTES,
                def,
                Sizes.format(min) + " to " + Sizes.format(max),
                text -> inRange(Sizes.parse(text), min, max),
                doc);
    }

    Setting<Optional<Long>> bytesOrAuto(final long min, final long max, final String doc) {
        return orWord(
                SpillwayKeys.AUTO,
                Setting.Type.BYTES,
                Optional.empty(),
                Sizes.format(min) + " to " + Sizes.format(max),
                text -> inRange(Sizes.parse(text), min, max),
                doc);
    }

    /** None unless it is set. */
    Setting<Optional<Long>> bytesOrNone(final long min, final long max, final String doc) {
        return orWord(
                SpillwayKeys.NONE,
                Setting.Type.BYTES,
                Optional.empty(),
                Sizes.format(min) + " to " + Sizes.format(max),
                text -> inRange(Sizes.parse(text), min, max),
                doc);
    }

    private static long inRange(final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(Long.toString(value));
        }
        return value;
    }

    Setting<Double> fraction(final double def, final double max, final String doc) {
        return of(
                Setting.Type.FRACTION,
                def,
                "above 0, at most " + max,
                text -> parseNumber(text, Double.MIN_VALUE, max),
                doc);
    }

    Setting<Double> number(final double def, final double max, final String doc) {
        return of(
                Setting.Type.NUMBER,
                def,
                String.format(Locale.ROOT, "0 to %.0f", max),
                text -> parseNumber(text, 0, max),
                doc);
    }

    private static double parseNumber(final String text, final double min, final double max) {
        final double value = Double.parseDouble(text);
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    /**
     * A directory or file.
     *
     * @param words those that may stand for a path
     */
    Setting<Location> location(final Location def, final Set<Location> words, final String doc) {
        final Map<String, Location> byText =
                words.stream().collect(Collectors.toMap(Location::toString, word -> word));
        final String range =
                Stream.concat(byText.keySet().stream().sorted(), Stream.of("an absolute path"))
                        .collect(Collectors.joining(" or "));
        return of(Setting.Type.PATH, def, range, text -> parseLocation(text, byText), doc);
    }

    private static Location parseLocation(final String text, final Map<String, Location> words) {
        final Location word = words.get(text.toLowerCase(Locale.ROOT));
        if (word != null) {
            return word;
        }
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException(text);
        }
        return Location.of(Path.of(text));
    }

    Setting<Location> socket(final String doc) {
        return of(
                Setting.Type.PATH,
                Location.AUTO,
                "auto or an absolute path of at most " + MAX_SOCKET_LENGTH + " bytes",
                Declaration::parseSocket,
                doc);
    }

    private static Location parseSocket(final String text) {
        final boolean isFolder = text.endsWith("/");
        if (isFolder || text.getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_LENGTH) {
            throw new IllegalArgumentException(text);
        }
        return parseLocation(text, Map.of(SpillwayKeys.AUTO, Location.AUTO));
    }

    /**
     * Text that Spillway passes on, or the word auto.
     *
     * @param pattern that it has to match
     */
    Setting<String> words(final String pattern, final String range, final String doc) {
        return of(
                Setting.Type.TEXT,
                SpillwayKeys.AUTO,
                SpillwayKeys.AUTO + ", or " + range,
                text -> parseWords(text, pattern),
                doc);
    }

    /**
     * A name that Spillway uses.
     *
     * @param pattern that it has to match
     */
    Setting<Optional<String>> wordsOrAuto(
            final String pattern, final String range, final String doc) {
        return orWord(
                SpillwayKeys.AUTO,
                Setting.Type.TEXT,
                Optional.empty(),
                range,
                text -> parseWords(text, pattern),
                doc);
    }

    /**
     * A name that Spillway uses, where one is set.
     *
     * @param pattern that it has to match
     */
    Setting<Optional<String>> wordsOrNone(
            final String pattern, final String range, final String doc) {
        return orWord(
                SpillwayKeys.NONE,
                Setting.Type.TEXT,
                Optional.empty(),
                range,
                text -> parseWords(text, pattern),
                doc);
    }

    /** A program that Spillway starts. */
    Setting<String> command(final String def, final String doc) {
        return of(
                Setting.Type.TEXT,
                def,
                "a command on the PATH or an absolute path",
                text -> parseWords(text, "[A-Za-z0-9._+-]{1,100}|/\\S{1,1000}"),
                doc);
    }

    private static String parseWords(final String text, final String pattern) {
        if (!text.matches(pattern)) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    Setting<String> choice(final String def, final List<String> allowed, final String doc) {
        return of(
                Setting.Type.CHOICE,
                def,
                "one of " + String.join(", ", allowed),
                text -> parseChoice(text, allowed),
                doc);
    }

    /** One of an enum's constants by its name in lower case, or auto. */
    <E extends Enum<E>> Setting<Optional<E>> choiceOrAuto(
            final Class<E> choices, final String doc) {
        final Map<String, E> byText = new LinkedHashMap<>();
        for (final E choice : choices.getEnumConstants()) {
            byText.put(textOf(choice), choice);
        }
        final Setting<Optional<E>> setting =
                new Setting<>(
                        this,
                        Setting.Type.CHOICE,
                        Optional.empty(),
                        "one of " + SpillwayKeys.AUTO + ", " + String.join(", ", byText.keySet()),
                        text -> parseChoice(text, byText),
                        doc,
                        value -> value.map(Declaration::textOf).orElse(SpillwayKeys.AUTO));
        registry.accept(setting);
        return setting;
    }

    private static String textOf(final Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    private static <E> Optional<E> parseChoice(final String text, final Map<String, E> byText) {
        final String value = text.toLowerCase(Locale.ROOT);
        if (value.equals(SpillwayKeys.AUTO)) {
            return Optional.empty();
        }
        return Optional.of(
                Optional.ofNullable(byText.get(value))
                        .orElseThrow(() -> new IllegalArgumentException(text)));
    }

    private static String parseChoice(final String text, final List<String> allowed) {
        final String value = text.toLowerCase(Locale.ROOT);
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    /** Values in an order, each once; or auto alone. */
    Setting<List<String>> listOrAuto(final List<String> allowed, final String doc) {
        final List<String> words = new ArrayList<>(List.of(SpillwayKeys.AUTO));
        words.addAll(allowed);
        return of(
                Setting.Type.LIST,
                List.of(SpillwayKeys.AUTO),
                "any of " + String.join(", ", words),
                text -> parseList(text, words),
                doc);
    }

    private static List<String> parseList(final String text, final List<String> allowed) {
        final List<String> values = List.of(text.toLowerCase(Locale.ROOT).split("\\s*,\\s*", -1));
        final boolean mixesAuto = values.contains(SpillwayKeys.AUTO) && values.size() > 1;
        if (mixesAuto
                || !allowed.containsAll(values)
                || values.stream().distinct().count() < values.size()) {
            throw new IllegalArgumentException(text);
        }
        return values;
    }
}
