// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A way in which a node can be fetched from, beside the connection on which it says so. Immutable.
 *
 * @param transport its name, such as {@code ucx}
 * @param address where that transport listens
 */
public record TransportOffer(String transport, NodeAddress address) {
    /** The transport of the connections on which nodes make offers. */
    public static final String TCP = "tcp";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,15}");
    private static final String SEPARATOR = ",";
    private static final char ASSIGNMENT = '=';

    /** Checks the fields. */
    public TransportOffer {
        Objects.requireNonNull(address, "address");
        if (!NAME.matcher(transport).matches()) {
            throw new IllegalArgumentException(
                    "transport=" + transport + ", expected such as ucx (" + NAME + ")");
        }
    }

    /**
     * The text that a node sends: the name of the transport it is sent over, then the offers, such
     * as {@code tcp,ucx=10.0.0.7:13563}.
     */
    public static String format(final String own, final List<TransportOffer> offers) {
        return offers.stream()
                .map(offer -> SEPARATOR + offer.transport + ASSIGNMENT + offer.address)
                .collect(Collectors.joining("", own, ""));
    }

    /** The offers in such a text. What is not understood is left out: it is a newer node's. */
    public static List<TransportOffer> parse(final String text) {
        final List<TransportOffer> offers = new ArrayList<>();
        for (final String part : text.split(SEPARATOR, -1)) {
            parseOne(part).ifPresent(offers::add);
        }
        return List.copyOf(offers);
    }

    private static Optional<TransportOffer> parseOne(final String text) {
        final int assignment = text.indexOf(ASSIGNMENT);
        final int colon = text.lastIndexOf(':');
        if (assignment < 0 || colon < assignment) {
            return Optional.empty();
        }
        try {
            final int port = Integer.parseInt(text.substring(colon + 1));
            final String host = text.substring(assignment + 1, colon);
            return Optional.of(
                    new TransportOffer(text.substring(0, assignment), new NodeAddress(host, port)));
        } catch (final IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
