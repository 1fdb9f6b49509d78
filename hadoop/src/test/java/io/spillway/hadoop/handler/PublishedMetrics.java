// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;

/** One source's metrics at one moment, as the sinks of a NodeManager get them. */
final class PublishedMetrics {
    private final List<? extends MetricsRecord> records;

    private PublishedMetrics(final List<? extends MetricsRecord> records) {
        this.records = records;
    }

    static boolean has(final String source) {
        return DefaultMetricsSystem.instance().getSource(source) != null;
    }

    /** The names of all handlers' metrics in this JVM. */
    static Set<String> sources() {
        return IntStream.rangeClosed(1, HandlerMetrics.MAX_SOURCES)
                .mapToObj(HandlerMetrics::name)
                .filter(PublishedMetrics::has)
                .collect(Collectors.toSet());
    }

    static PublishedMetrics of(final String source) {
        final MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance().getSource(source).getMetrics(collector, true);
        return new PublishedMetrics(collector.getRecords());
    }

    /** The value whose record has these tags, and maybe others. */
    long value(final String metric, final Map<String, String> tags) {
        for (final MetricsRecord record : records) {
            if (tagsOf(record).entrySet().containsAll(tags.entrySet())) {
                for (final AbstractMetric found : record.metrics()) {
                    if (found.name().equals(metric)) {
                        return found.value().longValue();
                    }
                }
            }
        }
        throw new AssertionError("no metric " + metric + " with " + tags);
    }

    long value(final String metric) {
        return value(metric, Map.of());
    }

    static Map<String, String> tagsOf(final MetricsRecord record) {
        return record.tags().stream()
                .filter(tag -> tag.value() != null)
                .collect(Collectors.toMap(MetricsTag::name, MetricsTag::value));
    }

    List<? extends MetricsRecord> records() {
        return records;
    }

    /** What a NodeManager shows at {@code /prom}. */
    String prometheus() throws IOException {
        final PrometheusMetricsSink sink = new PrometheusMetricsSink();
        records.forEach(sink::putMetrics);
        sink.flush();
        final StringWriter page = new StringWriter();
        sink.writeMetrics(page);
        return page.toString();
    }
}
