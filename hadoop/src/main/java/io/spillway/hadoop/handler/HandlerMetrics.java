// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.node.metrics.NodeFigures;
import io.spillway.node.metrics.NodeFigures.Figure;
import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Label;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link NodeMetric}s of a handler among the NodeManager's metrics: one source, with a record
 * for each combination of labels, which are the record's tags. Thread-safe.
 */
public final class HandlerMetrics implements MetricsSource, AutoCloseable {
    /** The name of the source; further ones in a JVM have a number after it. */
    static final String NAME = NodeMetric.RECORD;

    private static final Logger LOG = LoggerFactory.getLogger(HandlerMetrics.class);
    private static final String DESCRIPTION = "Map outputs kept and served by Spillway";

    /** That of stock's shuffle metrics. */
    private static final String CONTEXT = "mapred";

    /** NodeManagers in one JVM, as tests have them. */
    static final int MAX_SOURCES = 256;

    private final MetricsSystem system;
    private final String name;
    private final String nodeManager;

    /** Null when the handler has stopped: a metrics system may keep its sources for longer. */
    private volatile Supplier<NodeFigures> figures;

    private HandlerMetrics(
            final MetricsSystem system,
            final String name,
            final String nodeManager,
            final Supplier<NodeFigures> figures) {
        this.system = system;
        this.name = name;
        this.nodeManager = nodeManager;
        this.figures = figures;
    }

    /**
     * Adds a source for a handler. Figures are worth a line in the log when they cannot be shown,
     * and no more.
     *
     * @return nothing where the metrics system takes none
     */
    public static Optional<HandlerMetrics> register(
            final MetricsSystem system, final HandlerFigures figures) {
        return register(system, figures.nodeManager(), figures);
    }

    /** As the other; one at a time, so that each finds a name of its own. */
    static synchronized Optional<HandlerMetrics> register(
            final MetricsSystem system,
            final String nodeManager,
            final Supplier<NodeFigures> figures) {
        for (int number = 1; number <= MAX_SOURCES; number++) {
            final String name = name(number);
            if (system.getSource(name) != null) {
                continue;
            }
            try {
                return Optional.of(
                        system.register(
                                name,
                                DESCRIPTION,
                                new HandlerMetrics(system, name, nodeManager, figures)));
            } catch (final MetricsException e) {
                LOG.debug("{} is taken by another class loader's handler", name, e);
            }
        }
        LOG.warn("No metrics of this handler: {} sources are registered", MAX_SOURCES);
        return Optional.empty();
    }

    /** The name of the n-th source of a JVM, from 1 on. */
    static String name(final int number) {
        return number == 1 ? NAME : NAME + "-" + number;
    }

    @Override
    public void getMetrics(final MetricsCollector collector, final boolean all) {
        final Supplier<NodeFigures> current = figures;
        if (current == null) {
            return;
        }
        final Map<Map<Label, String>, List<Figure>> byLabels = new LinkedHashMap<>();
        for (final Figure figure : current.get().all()) {
            byLabels.computeIfAbsent(figure.labels(), labels -> new ArrayList<>()).add(figure);
        }
        byLabels.forEach((labels, record) -> addRecord(collector, labels, record));
    }

    private void addRecord(
            final MetricsCollector collector,
            final Map<Label, String> labels,
            final List<Figure> record) {
        final MetricsRecordBuilder builder = collector.addRecord(NAME).setContext(CONTEXT);
        builder.tag(tag(Label.NODE_MANAGER), nodeManager);
        labels.forEach(
                (label, value) -> {
                    if (label != Label.NODE_MANAGER) {
                        builder.tag(tag(label), value);
                    }
                });
        record.forEach(figure -> add(builder, figure));
    }

    private static MetricsInfo tag(final Label label) {
        return Interns.info(label.toString(), label.toString());
    }

    private static void add(final MetricsRecordBuilder builder, final Figure figure) {
        final NodeMetric metric = figure.metric();
        final MetricsInfo info = Interns.info(metric.hadoopName(), metric.help());
        switch (metric.type()) {
            case COUNTER -> builder.addCounter(info, figure.value());
            case GAUGE -> builder.addGauge(info, figure.value());
        }
    }

    /** The name of the source. */
    String name() {
        return name;
    }

    @Override
    public void close() {
        figures = null;
        system.unregisterSource(name);
    }
}
