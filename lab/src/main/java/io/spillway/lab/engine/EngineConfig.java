// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.engine;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.HadoopSite;
import io.spillway.conf.InvalidSettingException;
import io.spillway.lab.job.CentralDiskJobs;
import io.spillway.transport.choice.TransportKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What takes part in a comparison: an engine, and what its jobs have otherwise than all jobs of the
 * comparison. Immutable.
 *
 * @param engine the engine
 * @param transport a value of {@code spillway.transport}, or nothing
 * @param properties of its jobs alone
 */
public record EngineConfig(
        Engine engine, Optional<String> transport, Map<String, String> properties) {
    private static final char TRANSPORT_SIGN = '@';
    private static final String PROPERTY_SIGN = "+";

    /** Checks that the engine has transports, where one is named. */
    public EngineConfig {
        Objects.requireNonNull(engine, "engine");
        properties = Map.copyOf(properties);
        if (transport.isPresent() && !engine.needsPlugIn()) {
            throw new BadInputException(
                    "engine '"
                            + engine.label()
                            + TRANSPORT_SIGN
                            + transport.get()
                            + "': Hadoop's own fetches over HTTP, expected an engine of Spillway"
                            + " before "
                            + TRANSPORT_SIGN);
        }
    }

    /** An engine, with the transport of all jobs. */
    public static EngineConfig of(final Engine engine) {
        return new EngineConfig(engine, Optional.empty(), Map.of());
    }

    /**
     * Reads an engine's name, or one with a transport behind it, as {@code rdma@ucx}; then
     * properties, each as {@code +key=value}.
     *
     * @throws BadInputException when there is no such engine, transport or setting
     */
    @JsonCreator
    public static EngineConfig parse(final String text) {
        final String[] parts = text.trim().split("\\" + PROPERTY_SIGN, -1);
        final int at = parts[0].indexOf(TRANSPORT_SIGN);
        final Engine engine = Engine.parse(at < 0 ? parts[0] : parts[0].substring(0, at));
        final Optional<String> transport =
                at < 0
                        ? Optional.empty()
                        : Optional.of(transport(parts[0], parts[0].substring(at + 1).trim()));
        final Map<String, String> properties = new TreeMap<>();
        for (int i = 1; i < parts.length; i++) {
            final ExtraProperty property = ExtraProperty.parse(engine, parts[i].trim());
            properties.put(property.name(), property.value());
        }
        return new EngineConfig(engine, transport, properties);
    }

    private static String transport(final String text, final String name) {
        if (name.isEmpty()) {
            throw noTransport(text);
        }
        try {
            return TransportKeys.TRANSPORT.get(property -> name);
        } catch (final InvalidSettingException e) {
            throw noTransport(text);
        }
    }

    private static BadInputException noTransport(final String text) {
        return new BadInputException(
                "engine '"
                        + text.trim()
                        + "': expected "
                        + TransportKeys.TRANSPORT.range()
                        + " behind "
                        + TRANSPORT_SIGN);
    }

    /** Reads names with commas between them. */
    public static List<EngineConfig> parseAll(final String names) {
        return Arrays.stream(names.split(",", -1)).map(EngineConfig::parse).toList();
    }

    /** Its name on the command line, in tables and in JSON. */
    @JsonValue
    public String label() {
        final StringBuilder label = new StringBuilder(engine.label());
        transport.ifPresent(name -> label.append(TRANSPORT_SIGN).append(name));
        new TreeMap<>(properties)
                .forEach(
                        (name, value) ->
                                label.append(PROPERTY_SIGN)
                                        .append(new ExtraProperty(name, value).label()));
        return label.toString();
    }

    /**
     * What the emulated disk of its jobs takes, where they have one.
     *
     * @param shared properties of all jobs of the comparison
     * @return bytes a second
     */
    public OptionalLong centralDiskRate(final Map<String, String> shared) {
        return engine == Engine.CENTRAL_DISK
                ? OptionalLong.of(CentralDiskJobs.rate(jobProperties(shared, 0)))
                : OptionalLong.empty();
    }

    /** A job that has this engine and its properties, with the emulated disk where it has one. */
    public JobSpec complete(
            final JobSpec job,
            final Map<String, String> shared,
            final long bytesPerMap,
            final HadoopSite site) {
        final JobSpec own = job.with(engine).with(jobProperties(shared, bytesPerMap));
        return engine == Engine.CENTRAL_DISK ? CentralDiskJobs.on(site, own) : own;
    }

    /**
     * The properties of its jobs, beside the engine's own.
     *
     * @param shared of all jobs of the comparison; its own transport and properties win over theirs
     * @param bytesPerMap of the input
     */
    public Map<String, String> jobProperties(
            final Map<String, String> shared, final long bytesPerMap) {
        final Map<String, String> all = new TreeMap<>();
        if (engine == Engine.STOCK_TUNED) {
            all.putAll(StockTuning.properties(bytesPerMap));
        }
        all.putAll(shared);
        transport.ifPresent(name -> all.put(TransportKeys.TRANSPORT.name(), name));
        all.putAll(properties);
        return all;
    }
}
