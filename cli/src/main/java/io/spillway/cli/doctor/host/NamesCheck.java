// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Whether the name under which this host is reached leads to it, from other hosts too. */
final class NamesCheck implements Check {
    private static final String NODE_HOST = "spillway.node.host";
    private static final String MANAGER_HOST = "yarn.nodemanager.hostname";

    private final SiteFacts site;
    private final String hostName;
    private final Names names;
    private final Predicate<InetAddress> own;

    /** Resolves a name. */
    @FunctionalInterface
    interface Names {
        InetAddress[] of(String name) throws UnknownHostException;
    }

    /**
     * Creates it.
     *
     * @param hostName what this host calls itself
     * @param own whether an address is one of this host's
     */
    NamesCheck(
            final SiteFacts site,
            final String hostName,
            final Names names,
            final Predicate<InetAddress> own) {
        this.site = site;
        this.hostName = hostName;
        this.names = names;
        this.own = own;
    }

    @Override
    public String name() {
        return "names";
    }

    @Override
    public List<Finding> look() {
        final String advertised =
                site.property(NODE_HOST)
                        .filter(name -> !name.equals("auto"))
                        .or(() -> site.property(MANAGER_HOST))
                        .filter(name -> !name.equals("0.0.0.0"))
                        .orElse(hostName);
        final InetAddress[] addresses;
        try {
            addresses = names.of(advertised);
        } catch (final UnknownHostException e) {
            return List.of(
                    Finding.error(
                            advertised + " has no address here",
                            "NodeManager and node process do not start, or nobody reaches them",
                            "add it to the name service or to /etc/hosts"));
        }
        if (isClusterOfThisHost()) {
            return List.of();
        }
        if (Arrays.stream(addresses).allMatch(InetAddress::isLoopbackAddress)) {
            return List.of(
                    Finding.error(
                            advertised + " is " + addresses[0].getHostAddress() + " here",
                            "nodes offer that address, and other hosts find themselves there",
                            "take the name out of the line of 127.0.0.1 or 127.0.1.1 in /etc/hosts,"
                                    + " or set "
                                    + NODE_HOST));
        }
        if (Arrays.stream(addresses).noneMatch(own)) {
            return List.of(
                    Finding.error(
                            String.format(
                                    Locale.ROOT,
                                    "%s is %s, which no interface of this host has",
                                    advertised,
                                    addresses[0].getHostAddress()),
                            "reducers connect to another host",
                            "correct the name service or /etc/hosts, or set " + NODE_HOST));
        }
        return List.of();
    }

    /** Whether the ResourceManager is reached by loopback: then all nodes are on this host. */
    private boolean isClusterOfThisHost() {
        final String manager = site.property("yarn.resourcemanager.hostname").orElse("0.0.0.0");
        try {
            return !manager.equals("0.0.0.0")
                    && Arrays.stream(names.of(manager)).allMatch(InetAddress::isLoopbackAddress);
        } catch (final UnknownHostException e) {
            return false;
        }
    }
}
