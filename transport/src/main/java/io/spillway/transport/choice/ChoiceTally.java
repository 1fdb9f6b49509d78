// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.transport.NodeAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Which transport each node is fetched from with, why, and how much came over it. Thread-safe. */
final class ChoiceTally {
    /** More nodes than this appear in sums only. */
    private static final int MOST_NODES = 32;

    private final Map<NodeAddress, Choice> nodes = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> bytes = new ConcurrentHashMap<>();
    private final LongAdder fallbacks = new LongAdder();

    private final Map<String, ShuffleCounter> figures;

    /**
     * Counts nothing yet.
     *
     * @param providers of the transports that may be chosen
     */
    ChoiceTally(final List<TransportProvider> providers) {
        final Map<String, ShuffleCounter> all = new TreeMap<>();
        providers.forEach(
                provider ->
                        provider.fetched().ifPresent(figure -> all.put(provider.name(), figure)));
        this.figures = all;
    }

    private record Choice(String transport, String reason, String detail) {
        String inShort() {
            return transport + ": " + reason;
        }

        String inFull() {
            return inShort() + (detail.isEmpty() ? "" : ", " + detail);
        }
    }

    /**
     * A channel was opened; the last one to a node counts.
     *
     * @param reason of which there are few different ones
     * @param detail more about it, or empty
     * @return whether that is new for this node
     */
    boolean chosen(
            final NodeAddress node,
            final String transport,
            final String reason,
            final String detail) {
        final Choice choice = new Choice(transport, reason, detail);
        return !choice.equals(nodes.put(node, choice));
    }

    /** Another transport was to be used and failed. */
    void fellBack() {
        fallbacks.increment();
    }

    /** Where to count the bytes that come over a transport. */
    LongAdder bytesOver(final String transport) {
        return bytes.computeIfAbsent(transport, name -> new LongAdder());
    }

    void noteIn(final TaskReport report) {
        final Map<String, Long> byTransport = new TreeMap<>();
        bytes.forEach((transport, count) -> byTransport.put(transport, count.sum()));
        final Map<String, Long> nodesByTransport = new TreeMap<>();
        final Map<String, Long> reasons = new TreeMap<>();
        for (final Choice choice : nodes.values()) {
            nodesByTransport.merge(choice.transport(), 1L, Long::sum);
            reasons.merge(choice.inShort(), 1L, Long::sum);
        }
        report.note("transport_bytes", byTransport);
        report.note("transport_nodes", nodesByTransport);
        report.note("transport_reasons", reasons);
        report.note("transport_by_node", byNode());
        figures.forEach(
                (transport, figure) -> report.add(figure, byTransport.getOrDefault(transport, 0L)));
        report.add(ShuffleCounter.TRANSPORT_FALLBACKS, fallbacks.sum());
    }

    private Map<String, String> byNode() {
        final Map<String, String> all = new TreeMap<>();
        nodes.forEach((node, choice) -> all.put(node.toString(), choice.inFull()));
        final Map<String, String> first = new LinkedHashMap<>();
        all.entrySet().stream()
                .limit(MOST_NODES)
                .forEach(entry -> first.put(entry.getKey(), entry.getValue()));
        return first;
    }
}
