// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** Whether this host has several networks, and nothing says which one map outputs take. */
final class NetworksCheck implements Check {
    private static final String NODE_HOST = "spillway.node.host";

    /** Links without a device behind them lead to containers and virtual machines. */
    private static final String DEVICE = "device";

    private final HostFiles files;
    private final SiteFacts site;

    NetworksCheck(final HostFiles files, final SiteFacts site) {
        this.files = files;
        this.site = site;
    }

    @Override
    public String name() {
        return "networks";
    }

    @Override
    public List<Finding> look() {
        final List<String> links = new ArrayList<>();
        HostFiles.list(files.at("/sys/class/net")).stream()
                .filter(link -> link.resolve(DEVICE).toFile().exists())
                .map(link -> link.getFileName().toString())
                .filter(
                        link ->
                                files.text("/sys/class/net/" + link + "/operstate")
                                        .filter("up"::equals)
                                        .isPresent())
                .forEach(links::add);
        if (links.size() < 2
                || site.property(NODE_HOST).filter(host -> !host.equals("auto")).isPresent()) {
            return List.of();
        }
        return List.of(
                Finding.note(
                        "several networks: " + String.join(", ", links),
                        "map outputs take the one of the host's name, which may be the slow one",
                        "set "
                                + NODE_HOST
                                + " to the name or address of this host on the fast one"));
    }
}
