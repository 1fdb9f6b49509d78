// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.metrics;

import io.spillway.node.metrics.NodeFigures.Figure;
import io.spillway.node.metrics.NodeMetric.Label;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@link NodeFigures} in Prometheus' text format, version 0.0.4. */
public final class PrometheusText {
    /** The content type of the format. */
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private PrometheusText() {}

    /** The whole page: the metrics that have values, in the order of {@link NodeMetric}. */
    public static String of(final NodeFigures figures) {
        final StringBuilder out = new StringBuilder();
        for (final NodeMetric metric : NodeMetric.values()) {
            final List<Figure> values =
                    figures.all().stream().filter(figure -> figure.metric() == metric).toList();
            if (!values.isEmpty()) {
                head(out, metric);
                values.forEach(value -> line(out, value));
            }
        }
        return out.toString();
    }

    private static void head(final StringBuilder out, final NodeMetric metric) {
        final String name = metric.prometheusName();
        out.append("# HELP ").append(name).append(' ').append(metric.help()).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(metric.type()).append('\n');
    }

    private static void line(final StringBuilder out, final Figure figure) {
        out.append(figure.metric().prometheusName());
        if (!figure.labels().isEmpty()) {
            final List<String> labels = new ArrayList<>();
            for (final Map.Entry<Label, String> label : figure.labels().entrySet()) {
                labels.add(label.getKey() + "=\"" + escape(label.getValue()) + "\"");
            }
            out.append('{').append(String.join(",", labels)).append('}');
        }
        out.append(' ').append(figure.value()).append('\n');
    }

    private static String escape(final String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
