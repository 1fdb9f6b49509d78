// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.doctor.host.SiteFacts;
import io.spillway.cli.doctor.host.SpillwayJars;
import io.spillway.cli.site.Rest;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a NodeManager says of itself. Immutable.
 *
 * @param configuration its properties
 * @param classPath of its JVM, jar by jar
 * @param java the version of its Java
 * @param metrics the metrics that Spillway's handler publishes in it; empty where it does not serve
 *     Spillway's protocol
 */
record ManagerFacts(
        SiteFacts configuration, List<String> classPath, String java, Map<String, String> metrics) {
    private static final String RUNTIME = "/jmx?qry=java.lang:type=Runtime";
    private static final String METRICS = "/jmx?qry=Hadoop:service=NodeManager,name=Spillway";
    private static final String SERVICE = "yarn.nodemanager.aux-services.mapreduce_shuffle.";
    private static final String TIER = "tag.tier";
    private static final String LIMIT = "StoreLimitBytes";

    /** Asks a NodeManager. */
    static ManagerFacts ask(final Rest rest, final URI web) throws IOException {
        final JsonNode runtime = bean(rest.get(web.resolve(RUNTIME)));
        return new ManagerFacts(
                configuration(rest.get(web.resolve("/conf?format=json"))),
                List.of(runtime.path("ClassPath").asText().split(":", -1)),
                runtime.path("SpecVersion").asText(),
                attributes(bean(rest.get(web.resolve(METRICS)))));
    }

    /** When a NodeManager's JVM was started, in milliseconds since 1970. */
    static long started(final Rest rest, final URI web) throws IOException {
        final JsonNode started = bean(rest.get(web.resolve(RUNTIME))).path("StartTime");
        if (!started.isIntegralNumber()) {
            throw new IOException(web + ": no StartTime of its JVM in the answer for " + RUNTIME);
        }
        return started.asLong();
    }

    private static JsonNode bean(final JsonNode answer) {
        return answer.path("beans").path(0);
    }

    private static SiteFacts configuration(final JsonNode answer) {
        final Map<String, String> properties = new TreeMap<>();
        for (final JsonNode property : Rest.elements(answer.path("properties"))) {
            properties.put(property.path("key").asText(), property.path("value").asText().strip());
        }
        return new SiteFacts("", properties, "", List.of());
    }

    private static Map<String, String> attributes(final JsonNode bean) {
        final Map<String, String> attributes = new TreeMap<>();
        bean.fields()
                .forEachRemaining(
                        field -> attributes.put(field.getKey(), field.getValue().asText()));
        return attributes;
    }

    /** Whether the handler serves Spillway's protocol. */
    boolean serves() {
        return !metrics.isEmpty();
    }

    /** Where its jar is: on the JVM's class path or on that of the service. */
    Optional<String> jar() {
        final List<String> entries = new ArrayList<>(classPath);
        for (final String name : List.of("classpath", "remote-classpath")) {
            configuration
                    .property(SERVICE + name)
                    .ifPresent(path -> entries.addAll(List.of(path.split("[:,]", -1))));
        }
        return entries.stream().filter(SpillwayJars::is).findFirst();
    }

    /** The most bytes of a tier; nothing where it offers none. */
    OptionalLong tierLimit(final String tier) {
        for (final Map.Entry<String, String> entry : metrics.entrySet()) {
            if (entry.getKey().startsWith(TIER) && entry.getValue().equals(tier)) {
                // The number behind each name is that of its record in the source.
                final String record = entry.getKey().substring(TIER.length());
                final String limit = metrics.get(LIMIT + record);
                if (limit != null) {
                    return OptionalLong.of(Long.parseLong(limit));
                }
            }
        }
        return OptionalLong.empty();
    }
}
