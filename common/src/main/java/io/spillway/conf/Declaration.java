// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The first half of a setting's declaration: its name, who changes it and what reads it. Each
 * method gives the other half, its kind of value, and makes the setting. Immutable.
 *
 * @param registry takes each setting that is made
 */
public record Declaration(
        String name,
        Setting.Audience audience,
        List<Setting.Reader> readers,
        List<Setting<?>> registry) {
    public Declaration {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(audience, "audience");
        Objects.requireNonNull(registry, "registry");
        readers = List.copyOf(readers);
        if (readers.isEmpty()) {
            throw new IllegalArgumentException(name + ": nothing reads it");
        }
    }

    private <T> Setting<T> of(final ValueKind<T> kind, final T def, final String doc) {
        final Setting<T> setting = new Setting<>(this, kind, def, doc);
        registry.add(setting);
        return setting;
    }

    private <T> Setting<Optional<T>> orAuto(final ValueKind<T> kind, final String doc) {
        return of(new ValueKind.OrWord<>(Setting.AUTO, kind), Optional.empty(), doc);
    }

    private <T> Setting<Optional<T>> orNone(
            final ValueKind<T> kind, final Optional<T> def, final String doc) {
        return of(new ValueKind.OrWord<>(Setting.NONE, kind), def, doc);
    }

    public Setting<Boolean> bool(final boolean def, final String doc) {
        return of(new ValueKind.Flag(), def, doc);
    }

    public Setting<Optional<Boolean>> boolOrAuto(final String doc) {
        return orAuto(new ValueKind.Flag(), doc);
    }

    public Setting<Integer> integer(final int def, final int min, final int max, final String doc) {
        return of(new ValueKind.Count(min, max), def, doc);
    }

    public Setting<Optional<Integer>> integerOrAuto(
            final int min, final int max, final String doc) {
        return orAuto(new ValueKind.Count(min, max), doc);
    }

    public Setting<Optional<Integer>> integerOrNone(
            final int def, final int min, final int max, final String doc) {
        return orNone(new ValueKind.Count(min, max), Optional.of(def), doc);
    }

    public Setting<Long> millis(final long def, final long min, final long max, final String doc) {
        return of(new ValueKind.Amount(Setting.Type.MILLIS, min, max), def, doc);
    }

    public Setting<Optional<Long>> millisOrNone(
            final long def, final long min, final long max, final String doc) {
        return orNone(new ValueKind.Amount(Setting.Type.MILLIS, min, max), Optional.of(def), doc);
    }

    public Setting<Long> bytes(final long def, final long min, final long max, final String doc) {
        return of(new ValueKind.Amount(Setting.Type.BYTES, min, max), def, doc);
    }

    public Setting<Optional<Long>> bytesOrAuto(final long min, final long max, final String doc) {
        return orAuto(new ValueKind.Amount(Setting.Type.BYTES, min, max), doc);
    }

    /** None unless it is set. */
    public Setting<Optional<Long>> bytesOrNone(final long min, final long max, final String doc) {
        return orNone(new ValueKind.Amount(Setting.Type.BYTES, min, max), Optional.empty(), doc);
    }

    public Setting<Double> fraction(final double def, final double max, final String doc) {
        return of(new ValueKind.Decimal(Setting.Type.FRACTION, max), def, doc);
    }

    public Setting<Double> number(final double def, final double max, final String doc) {
        return of(new ValueKind.Decimal(Setting.Type.NUMBER, max), def, doc);
    }

    /**
     * A directory or file.
     *
     * @param words those that may stand for a path
     */
    public Setting<Location> location(
            final Location def, final Set<Location> words, final String doc) {
        return of(new ValueKind.Place(words), def, doc);
    }

    public Setting<Location> socket(final String doc) {
        return of(new ValueKind.Socket(), Location.AUTO, doc);
    }

    /**
     * Text that Spillway passes on, or the word auto.
     *
     * @param pattern that both have to match
     */
    public Setting<String> words(final String pattern, final String range, final String doc) {
        final String orAuto = Setting.AUTO + ", or " + range;
        return of(new ValueKind.Words(pattern, orAuto), Setting.AUTO, doc);
    }

    /**
     * A name that Spillway uses.
     *
     * @param pattern that it has to match
     */
    public Setting<Optional<String>> wordsOrAuto(
            final String pattern, final String range, final String doc) {
        return orAuto(new ValueKind.Words(pattern, range), doc);
    }

    /**
     * A name that Spillway uses, where one is set.
     *
     * @param pattern that it has to match
     */
    public Setting<Optional<String>> wordsOrNone(
            final String pattern, final String range, final String doc) {
        return orNone(new ValueKind.Words(pattern, range), Optional.empty(), doc);
    }

    /** A program that Spillway starts. */
    public Setting<String> command(final String def, final String doc) {
        final String pattern = "[A-Za-z0-9._+-]{1,100}|/\\S{1,1000}";
        final String range = "a command on the PATH or an absolute path";
        return of(new ValueKind.Words(pattern, range), def, doc);
    }

    /** One of an enum's constants. */
    public <E extends Enum<E>> Setting<E> choice(
            final Class<E> choices, final E def, final String doc) {
        return of(new ValueKind.Constant<>(choices), def, doc);
    }

    /** One of an enum's constants, or auto. */
    public <E extends Enum<E>> Setting<Optional<E>> choiceOrAuto(
            final Class<E> choices, final String doc) {
        return orAuto(new ValueKind.Constant<>(choices), doc);
    }

    /** One of the names that are registered, or auto. */
    public Setting<String> oneOrAuto(final RegisteredNames names, final String doc) {
        return of(new ValueKind.OneOf(names), Setting.AUTO, doc);
    }

    /** Names that are registered, in an order, each once; or auto alone. */
    public Setting<List<String>> listOrAuto(final RegisteredNames names, final String doc) {
        return of(new ValueKind.Some(names), List.of(Setting.AUTO), doc);
    }
}
