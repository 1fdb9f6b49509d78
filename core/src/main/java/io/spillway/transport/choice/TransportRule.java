package io.spillway.transport.choice;

import io.spillway.conf.SpillwayKeys;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
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
        this.wanted = SpillwayKeys.TRANSPORT.get(settings);
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
        return !wanted.equals(SpillwayKeys.AUTO) && !wanted.equals(base);
    }

    /** What to try for a node. May ask the name service for a host's address, once. */
    Verdict decide(final NodeAddress node, final List<TransportOffer> offers) {
        if (wanted.equals(base)) {
            return Verdict.stay(setting());
        }
        return demands() ? demanded(offers) : automatic(node, offers);
    }

    private String setting() {
        return SpillwayKeys.TRANSPORT.name() + "=" + wanted;
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

    private Verdict automatic(final NodeAddress node, final List<TransportOffer> offers) {
        String reason = "the node offers nothing else";
        for (final TransportProvider provider : providers) {
            final Optional<TransportOffer> offer = offer(provider, offers);
            if (offer.isEmpty()) {
                continue;
            }
            final Optional<String> advantage = advantage(provider, node, offer.get());
            if (advantage.isPresent()) {
                return new Verdict(provider, offer.get(), advantage.get());
            }
            reason = "no RDMA device, and no memory shared with the node";
        }
        return Verdict.stay(reason);
    }

    private static Optional<TransportOffer> offer(
            final TransportProvider provider, final List<TransportOffer> offers) {
        return offers.stream().filter(o -> o.transport().equals(provider.name())).findFirst();
    }

    /** What a transport is better by; nothing where sockets are as good. */
    private Optional<String> advantage(
            final TransportProvider provider, final NodeAddress node, final TransportOffer offer) {
        if (provider.canUse(TransportProvider.Medium.SHARED_MEMORY, settings)
                && media.hasSharedMemory()
                && (isThisHost(offer.address().host()) || isThisHost(node.host()))) {
            return Optional.of("same host, shared memory");
        }
        if (!provider.canUse(TransportProvider.Medium.RDMA, settings)) {
            return Optional.empty();
        }
        return media.activeRdmaPorts().stream().findFirst().map(port -> "RDMA device " + port);
    }

    private boolean isThisHost(final String host) {
        return hosts.computeIfAbsent(host, media::isThisHost);
    }
}
