package io.spillway.bench.engine;

import io.spillway.bench.BadInputException;
import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.SpillwayKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What takes part in a comparison: an engine, and what its reducers fetch with where that is not
 * what all jobs of the comparison do. Immutable.
 *
 * @param engine the engine
 * @param transport a value of {@code spillway.transport}, or nothing
 */
public record Contender(Engine engine, Optional<String> transport) {
    private static final char SEPARATOR = '@';

    /** Checks that the engine has transports, where one is named. */
    public Contender {
        Objects.requireNonNull(engine, "engine");
        if (transport.isPresent() && !engine.needsPlugIn()) {
            throw new BadInputException(
                    "engine '"
                            + label(engine, transport)
                            + "': Hadoop's own fetches over HTTP, expected an engine of Spillway"
                            + " before "
                            + SEPARATOR);
        }
    }

    /** An engine, with the transport of all jobs. */
    public static Contender of(final Engine engine) {
        return new Contender(engine, Optional.empty());
    }

    /**
     * Reads an engine's name, or one with a transport behind it, as {@code rdma@ucx}.
     *
     * @throws BadInputException when there is no such engine or transport
     */
    public static Contender parse(final String text) {
        final int at = text.indexOf(SEPARATOR);
        if (at < 0) {
            return of(Engine.parse(text));
        }
        return new Contender(
                Engine.parse(text.substring(0, at)),
                Optional.of(transport(text, text.substring(at + 1).trim())));
    }

    private static String transport(final String text, final String name) {
        if (name.isEmpty()) {
            throw noTransport(text);
        }
        try {
            return SpillwayKeys.TRANSPORT.get(property -> name);
        } catch (final InvalidSettingException e) {
            throw noTransport(text);
        }
    }

    private static BadInputException noTransport(final String text) {
        return new BadInputException(
                "engine '"
                        + text.trim()
                        + "': expected "
                        + SpillwayKeys.TRANSPORT.range()
                        + " behind "
                        + SEPARATOR);
    }

    /** Reads names with commas between them. */
    public static List<Contender> parseAll(final String names) {
        return Arrays.stream(names.split(",", -1)).map(Contender::parse).toList();
    }

    /** Its name on the command line and in tables. */
    public String label() {
        return label(engine, transport);
    }

    private static String label(final Engine engine, final Optional<String> transport) {
        return engine.label() + transport.map(name -> SEPARATOR + name).orElse("");
    }

    /**
     * The properties of its jobs, beside the engine's own.
     *
     * @param shared of all jobs of the comparison; its own transport wins over theirs
     * @param bytesPerMap of the input
     */
    public Map<String, String> jobProperties(
            final Map<String, String> shared, final long bytesPerMap) {
        final Map<String, String> properties = new TreeMap<>();
        if (engine == Engine.STOCK_TUNED) {
            properties.putAll(StockTuning.properties(bytesPerMap));
        }
        properties.putAll(shared);
        transport.ifPresent(name -> properties.put(SpillwayKeys.TRANSPORT.name(), name));
        return properties;
    }
}
