// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.member.MemberStatus;
import io.spillway.node.metrics.NodeFigures;
import io.spillway.node.metrics.TierStatus;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.report.JsonText;
import io.spillway.store.pool.FolderStatus;
import io.spillway.transport.serve.ServerStats;
import io.spillway.version.Release;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the node process is and does at one moment; ids only, no secrets. Immutable.
 *
 * @param pid of the process
 * @param epoch its incarnation
 * @param started when it started
 * @param socket where it listens for handlers
 * @param draining whether it takes no new outputs
 * @param page address of the status page, empty for none
 * @param transports what it serves
 * @param notServed the other transports, with the reason
 * @param managers the NodeManagers
 * @param member what it is to other nodes; nothing where it is alone
 */
record NodeStatus(
        long pid,
        long epoch,
        Instant started,
        String socket,
        boolean draining,
        String page,
        List<TransportStatus> transports,
        Map<String, String> notServed,
        List<ManagerStatus> managers,
        Optional<MemberStatus> member) {
    /**
     * One transport.
     *
     * @param name of the transport
     * @param address where it listens
     * @param stats what it has done
     */
    record TransportStatus(String name, String address, ServerStats stats) {}

    /**
     * One NodeManager.
     *
     * @param name of the NodeManager
     * @param shuffle where its shuffle port is
     * @param connected whether its handler is connected
     * @param jobs ids
     * @param stores its tiers in memory and NVM
     * @param cache what reading its map outputs ahead has brought
     */
    record ManagerStatus(
            String name,
            String shuffle,
            boolean connected,
            List<String> jobs,
            List<TierStatus> stores,
            PrefetchStats cache) {}

    /** The bytes of all files of a tier; -1 where it cannot be read. */
    private static long usedBytes(final TierStatus tier) {
        return tier.files().map(FolderStatus::usedBytes).orElse(-1L);
    }

    /** What tasks may still write; -1 where it cannot be read. */
    private static long freeBytes(final TierStatus tier) {
        return tier.files().isPresent() ? tier.freeBytes() : -1;
    }

    /** The same for Prometheus. */
    NodeFigures figures() {
        final NodeFigures figures = new NodeFigures();
        figures.start(started);
        figures.draining(draining);
        transports.forEach(each -> figures.transport(each.name(), each.stats()));
        for (final ManagerStatus manager : managers) {
            figures.connected(manager.name(), manager.connected());
            figures.jobs(manager.name(), manager.jobs().size());
            manager.stores().forEach(tier -> figures.tier(manager.name(), tier));
        }
        figures.cache(cache());
        member.ifPresent(figures::member);
        return figures;
    }

    /** The caches of all NodeManagers together. */
    PrefetchStats cache() {
        long hits = 0;
        long misses = 0;
        long readAhead = 0;
        long evicted = 0;
        long current = 0;
        for (final ManagerStatus manager : managers) {
            hits += manager.cache().hits();
            misses += manager.cache().misses();
            readAhead += manager.cache().readAheadBytes();
            evicted += manager.cache().evictedUnreadBytes();
            current += manager.cache().currentBytes();
        }
        return new PrefetchStats(hits, misses, readAhead, evicted, current);
    }

    /** The share of the pieces that came from memory; 0 when there were none. */
    static double hitRate(final PrefetchStats cache) {
        final long pieces = cache.hits() + cache.misses();
        return pieces == 0 ? 0 : (double) cache.hits() / pieces;
    }

    /** One object. */
    String toJson() {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", Release.VERSION);
        json.put("pid", pid);
        json.put("epoch", epoch);
        json.put("started", started.toString());
        json.put("socket", socket);
        json.put("draining", draining);
        json.put("page", page);
        json.put("transports", transports.stream().map(NodeStatus::map).toList());
        json.put("notServed", notServed);
        json.put("nodeManagers", managers.stream().map(NodeStatus::map).toList());
        json.put("cache", map(cache()));
        member.ifPresent(each -> json.put("member", each.toMap()));
        return JsonText.of(json);
    }

    private static Map<String, Object> map(final TransportStatus transport) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", transport.name());
        map.put("address", transport.address());
        map.put("connections", transport.stats().connections());
        map.put("accepted", transport.stats().accepted());
        map.put("refused", transport.stats().refused());
        map.put("requests", transport.stats().requests());
        map.put("failures", transport.stats().failures());
        map.put("bytes", transport.stats().bytes());
        return map;
    }

    private static Map<String, Object> map(final ManagerStatus manager) {
        final Map<String, Object> map = new LinkedHashMap<>();
        final List<Object> stores = new ArrayList<>();
        manager.stores().forEach(store -> stores.add(map(store)));
        map.put("name", manager.name());
        map.put("shuffle", manager.shuffle());
        map.put("connected", manager.connected());
        map.put("jobs", manager.jobs());
        map.put("stores", stores);
        map.put("cache", map(manager.cache()));
        return map;
    }

    private static Map<String, Object> map(final TierStatus tier) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("tier", tier.tier());
        map.put("folder", tier.folder().toString());
        map.put("limitBytes", tier.limitBytes());
        map.put("usedBytes", usedBytes(tier));
        map.put("freeBytes", freeBytes(tier));
        map.put("applications", tier.files().map(FolderStatus::applications).orElse(0));
        return map;
    }

    private static Map<String, Object> map(final PrefetchStats cache) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("hits", cache.hits());
        map.put("misses", cache.misses());
        map.put("hitRate", hitRate(cache));
        map.put("readAheadBytes", cache.readAheadBytes());
        map.put("evictedUnreadBytes", cache.evictedUnreadBytes());
        map.put("currentBytes", cache.currentBytes());
        return map;
    }
}
