// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.conf.Setting;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens each node over tcp, reads what else it offers, and goes on with that where it is better
 * ({@code spillway.transport}); what lies in memory on the own host is read from there. Whatever
 * fails there leads back to tcp, with one line in the log; that node is then not tried again for a
 * while. Thread-safe.
 *
 * <p>A channel over another transport {@linkplain Channel#hasFallback has a fallback}: a caller
 * that sees it fail opens the node again.
 */
public final class ChoosingTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(ChoosingTransport.class);

    /** The name by which reports count what was read without any transport. */
    static final String OWN_HOST = "own-host";

    private final Transport base;
    private final TransportRule rule;
    private final Map<String, Alternative> alternatives = new LinkedHashMap<>();
    private final Map<NodeAddress, CircuitBreaker> trusts = new ConcurrentHashMap<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final ChoiceTally tally;
    private final Optional<OwnHostReads> ownHost;
    private final long restNanos;
    private volatile boolean closed;

    /**
     * Creates a transport that reads nothing without a node.
     *
     * @param base opens nodes at their shuffle port; belongs to this object from here on
     * @param providers of the other transports; the base's is passed over
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public ChoosingTransport(
            final Transport base,
            final List<TransportProvider> providers,
            final Function<String, String> settings) {
        this(base, providers, Optional.empty(), settings);
    }

    /**
     * Creates the transport.
     *
     * @param base opens nodes at their shuffle port; belongs to this object from here on
     * @param providers of the other transports; the base's is passed over
     * @param ownHost what needs no transport, used where the choice is free; belongs to this object
     *     from here on
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public ChoosingTransport(
            final Transport base,
            final List<TransportProvider> providers,
            final Optional<OwnHost> ownHost,
            final Function<String, String> settings) {
        this(base, providers, ownHost, settings, HostMedia.ofThisHost());
    }

    ChoosingTransport(
            final Transport base,
            final List<TransportProvider> providers,
            final Optional<OwnHost> ownHost,
            final Function<String, String> settings,
            final HostMedia media) {
        this.base = base;
        final List<TransportProvider> others =
                providers.stream().filter(known -> !known.name().equals(base.name())).toList();
        this.tally = new ChoiceTally(others);
        this.rule = new TransportRule(base.name(), others, settings, media);
        this.ownHost =
                ownHost.filter(host -> rule.wanted().equals(Setting.AUTO))
                        .map(host -> new OwnHostReads(host, tally.bytesOver(OWN_HOST)));
        this.restNanos = TimeUnit.MILLISECONDS.toNanos(TransportKeys.TRANSPORT_RETRY.get(settings));
        others.forEach(
                provider -> alternatives.put(provider.name(), new Alternative(provider, settings)));
    }

    /** What {@code spillway.transport} says. */
    @Override
    public String name() {
        return rule.wanted();
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        final Channel first = base.open(address, credentials);
        try {
            final Channel chosen = choose(address, credentials, first);
            return ownHost.filter(reads -> reads.isOwn(chosen))
                    .map(reads -> readingHere(reads, chosen, credentials))
                    .orElse(chosen);
        } catch (final FetchException | RuntimeException | Error e) {
            first.close();
            throw e;
        }
    }

    private Channel readingHere(
            final OwnHostReads reads, final Channel chosen, final JobCredentials credentials) {
        if (tally.chosen(chosen.address(), OWN_HOST, "same host, files in memory", "")) {
            LOG.info("{}: outputs in memory are read from their files", chosen.address());
        }
        return reads.before(chosen, credentials);
    }

    /** What has an obstacle on this host is passed over, for the next best. */
    private Channel choose(
            final NodeAddress node, final JobCredentials credentials, final Channel first)
            throws FetchException {
        final Map<String, String> obstacles = new LinkedHashMap<>();
        for (final TransportRule.Verdict verdict : rule.decide(node, first.offers())) {
            if (verdict.stays()) {
                if (rule.demands()) {
                    warnOnce(node + ": fetching over " + base.name() + ": " + verdict.reason());
                }
                return stay(node, first, verdict.reason(), "");
            }
            final String name = verdict.provider().name();
            final String obstacle = alternatives.get(name).obstacle().orElse(null);
            if (obstacle == null) {
                warnOf(obstacles, name);
                return tryOther(node, credentials, first, verdict, named(obstacles));
            }
            obstacles.put(name, obstacle);
        }
        warnOf(obstacles, base.name());
        return stay(
                node,
                first,
                String.join(", ", obstacles.keySet()) + " cannot be used here",
                String.join("; ", obstacles.values()));
    }

    private void warnOf(final Map<String, String> obstacles, final String taken) {
        obstacles.forEach(
                (name, obstacle) ->
                        warnOnce(
                                "Fetching over " + taken + ", not over " + name + ": " + obstacle));
    }

    private static String named(final Map<String, String> obstacles) {
        return obstacles.entrySet().stream()
                .map(entry -> entry.getKey() + " cannot be used here: " + entry.getValue())
                .collect(Collectors.joining("; "));
    }

    private Channel tryOther(
            final NodeAddress node,
            final JobCredentials credentials,
            final Channel first,
            final TransportRule.Verdict verdict,
            final String obstacles)
            throws FetchException {
        final String name = verdict.provider().name();
        final CircuitBreaker trust =
                trusts.computeIfAbsent(
                        node, key -> new CircuitBreaker(restNanos, System::nanoTime));
        if (trust.isResting()) {
            return stay(node, first, name + " has failed", trust.why());
        }
        try {
            final Channel other =
                    alternatives.get(name).transport().open(verdict.offer().address(), credentials);
            first.close();
            return take(node, verdict, obstacles, other, first, trust);
        } catch (final FetchException | RuntimeException | LinkageError e) {
            final String why = e instanceof FetchException ? e.getMessage() : e.toString();
            distrust(node, verdict.offer(), trust, why);
            final Channel again = first.isOpen() ? first : base.open(node, credentials);
            return stay(node, again, name + " has failed", why);
        }
    }

    private Channel take(
            final NodeAddress node,
            final TransportRule.Verdict verdict,
            final String obstacles,
            final Channel other,
            final Channel first,
            final CircuitBreaker trust) {
        final String name = verdict.provider().name();
        if (tally.chosen(node, name, verdict.reason(), obstacles)) {
            LOG.info(
                    "{}: fetching over {} at {}: {}",
                    node,
                    name,
                    verdict.offer().address(),
                    verdict.reason());
        }
        return new MeteredChannel(
                other,
                node,
                first.epoch(),
                first.offers(),
                tally.bytesOver(name),
                new LossJudge(node, verdict.offer(), trust));
    }

    private Channel stay(
            final NodeAddress node, final Channel channel, final String reason, final String more) {
        if (tally.chosen(node, base.name(), reason, more)) {
            LOG.debug("{}: fetching over {}: {}. {}", node, base.name(), reason, more);
        }
        return new MeteredChannel(
                channel,
                node,
                channel.epoch(),
                channel.offers(),
                tally.bytesOver(base.name()),
                null);
    }

    private void distrust(
            final NodeAddress node,
            final TransportOffer offer,
            final CircuitBreaker trust,
            final String why) {
        if (!closed) {
            trust.failed(why);
            tally.fellBack();
            warn(node, offer, why);
        }
    }

    private void warn(final NodeAddress node, final TransportOffer offer, final String why) {
        LOG.warn(
                "{}: {} at {} failed, fetching over {}: {}",
                node,
                offer.transport(),
                offer.address(),
                base.name(),
                why);
    }

    /** What is so for every node, or for many, is said of the first only. */
    private void warnOnce(final String line) {
        if (told.add(line.substring(line.indexOf(": fetching") + 1))) {
            LOG.warn("{}", line);
        }
    }

    /** Where to count, for the task's report, the bytes that come in a way of this name. */
    public LongAdder bytesOver(final String way) {
        return tally.bytesOver(way);
    }

    @Override
    public void noteIn(final TaskReport report) {
        tally.noteIn(report);
    }

    /** Closes what was opened, over every transport. */
    @Override
    public void close() {
        closed = true;
        ownHost.ifPresent(OwnHostReads::close);
        alternatives.values().forEach(Alternative::close);
        base.close();
    }

    /** Turns what becomes of one channel into trust in its transport to that node. */
    private final class LossJudge implements MeteredChannel.Judge {
        private final NodeAddress node;
        private final TransportOffer offer;
        private final CircuitBreaker trust;
        private final long opened = System.nanoTime();

        LossJudge(final NodeAddress node, final TransportOffer offer, final CircuitBreaker trust) {
            this.node = node;
            this.offer = offer;
            this.trust = trust;
        }

        @Override
        public void lost(final String why) {
            if (!closed && trust.lost(why, System.nanoTime() - opened)) {
                tally.fellBack();
                warn(node, offer, why);
            }
        }

        @Override
        public void failed(final String why) {
            distrust(node, offer, trust, why);
        }
    }
}
