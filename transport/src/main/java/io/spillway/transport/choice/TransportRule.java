// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.conf.Setting;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider.Medium;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Says over which transport a node is to be fetched from, and why. It looks at settings, offers and
 * what the kernel tells of this host; it loads nothing native. Thread-safe.
 */
final class TransportRule {
    private final String wanted;
    private final String base;
    private final List<TransportProvider> providers;
    private final Function<String, String> settings;
    private final HostMedia media;
    private final Map<String, Boolean> hosts = new ConcurrentHashMap<>();

    /**
     * What is to be tried.
     *
     * @param provider of the transport; null for the one that is open already
     * @param offer where that transport is; null for the one that is open already
     * @param reason in a few words, of which there are few different ones
     */
    record Verdict(TransportProvider provider, TransportOffer offer, String reason) {
        static Verdict stay(final String reason) {
            return new Verdict(null, null, reason);
        }

        boolean stays() {
            return provider == null;
        }
    }

    /**
     * Creates the rule.
     *
     * @param base name of the transport by which nodes are asked for their offers
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    TransportRule(
            final String base,
            final List<TransportProvider> providers,
            final Function<String, String> settings,
            final HostMedia media) {
        this.wanted = TransportKeys.TRANSPORT.get(settings);
        this.base = base;
        this.providers = List.copyOf(providers);
        this.settings = settings;
        this.media = media;
    }

    /** The setting: auto or the name of a transport. */
    String wanted() {
        return wanted;
    }

    /** Whether a transport was asked for by name that is not the base. */
    boolean demands() {
        return !wanted.equals(Setting.AUTO) && !wanted.equals(base);
    }

    /**
     * What to try for a node, the best first: others than the base, or the one verdict to stay. May
     * ask the name service for a host's address, once.
     */
    List<Verdict> decide(final NodeAddress node, final List<TransportOffer> offers) {
        if (wanted.equals(base)) {
            return List.of(Verdict.stay(setting()));
        }
        return demands() ? List.of(demanded(offers)) : automatic(node, offers);
    }

    private String setting() {
        return TransportKeys.TRANSPORT.name() + "=" + wanted;
    }

    private Verdict demanded(final List<TransportOffer> offers) {
        final Optional<TransportProvider> provider =
                providers.stream().filter(known -> known.name().equals(wanted)).findFirst();
        if (provider.isEmpty()) {
            return Verdict.stay(setting() + ", which this build does not have");
        }
        return offer(provider.get(), offers)
                .map(offer -> new Verdict(provider.get(), offer, setting()))
                .orElseGet(() -> Verdict.stay(setting() + ", which the node does not offer"));
    }

    /** By what a transport is better by, whatever its name; sockets are last. */
    private List<Verdict> automatic(final NodeAddress node, final List<TransportOffer> offers) {
        final Map<TransportProvider, Verdict> others = new LinkedHashMap<>();
        for (final Medium medium : Medium.values()) {
            for (final TransportProvider provider : providers) {
                offer(provider, offers)
                        .flatMap(offer -> by(medium, provider, node, offer))
                        .ifPresent(verdict -> others.putIfAbsent(provider, verdict));
            }
        }
        return others.isEmpty() ? List.of(sockets(offers)) : List.copyOf(others.values());
    }

    private Verdict sockets(final List<TransportOffer> offers) {
        return Verdict.stay(
                providers.stream().anyMatch(provider -> offer(provider, offers).isPresent())
                        ? "no RDMA device, and no memory shared with the node"
                        : "the node offers nothing else");
    }

    private static Optional<TransportOffer> offer(
            final TransportProvider provider, final List<TransportOffer> offers) {
        return offers.stream().filter(o -> o.transport().equals(provider.name())).findFirst();
    }

    /** Nothing where the transport has no such medium between the node and this host. */
    private Optional<Verdict> by(
            final Medium medium,
            final TransportProvider provider,
            final NodeAddress node,
            final TransportOffer offer) {
        if (!provider.canUse(medium, settings)) {
            return Optional.empty();
        }
        final Optional<String> advantage =
                switch (medium) {
                    case SHARED_MEMORY -> sharedMemory(node, offer);
                    case RDMA -> rdma();
                    case WORLD -> Optional.of("MPI world " + offer.address().host());
                };
        return advantage.map(reason -> new Verdict(provider, offer, reason));
    }

    private Optional<String> sharedMemory(final NodeAddress node, final TransportOffer offer) {
        return media.hasSharedMemory()
                        && (isThisHost(offer.address().host()) || isThisHost(node.host()))
                ? Optional.of("same host, shared memory")
                : Optional.empty();
    }

    private Optional<String> rdma() {
        return media.activeRdmaPorts().stream().findFirst().map(port -> "RDMA device " + port);
    }

    private boolean isThisHost(final String host) {
        return hosts.computeIfAbsent(host, media::isThisHost);
    }
}
