// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.host.HadoopDaemon.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whether the ports of map outputs are open where a daemon runs, and free where none does. */
final class PortsCheck implements Check {
    private static final String SHUFFLE = "mapreduce.shuffle.port";
    private static final String NODE = "spillway.node.tcp.port";
    private static final String LISTENS = "0A";
    private static final int STATE_FIELD = 3;
    private static final int HEX = 16;

    private final HostFiles files;
    private final SiteFacts site;

    PortsCheck(final HostFiles files, final SiteFacts site) {
        this.files = files;
        this.site = site;
    }

    @Override
    public String name() {
        return "ports";
    }

    @Override
    public List<Finding> look() {
        final Set<Integer> open = open();
        final List<HadoopDaemon> daemons = HadoopDaemon.all(files);
        final List<Finding> findings = new ArrayList<>();
        look(SHUFFLE, Kind.NODE_MANAGER, daemons, open, findings);
        look(NODE, Kind.NODE_PROCESS, daemons, open, findings);
        return findings;
    }

    private void look(
            final String property,
            final Kind kind,
            final List<HadoopDaemon> daemons,
            final Set<Integer> open,
            final List<Finding> findings) {
        final int port = (int) site.number(property, 0);
        if (port == 0) {
            return; // the daemon takes any that is free
        }
        final long running = daemons.stream().filter(daemon -> daemon.kind() == kind).count();
        if (running == 1 && !open.contains(port)) {
            findings.add(
                    Finding.error(
                            property
                                    + "="
                                    + port
                                    + ": nobody listens there, but a "
                                    + kind.label()
                                    + " runs",
                            "reducers cannot fetch from this host",
                            "look into its log for BindException, then restart it"));
        } else if (running == 0 && open.contains(port)) {
            findings.add(
                    Finding.warning(
                            property
                                    + "="
                                    + port
                                    + ": taken, but no "
                                    + kind.label()
                                    + " runs here",
                            "one that is started here does not get its port",
                            "ss -ltnp 'sport = :" + port + "' names who listens"));
        }
    }

    /** The ports on which this host listens for tcp. */
    private Set<Integer> open() {
        final Set<Integer> ports = new HashSet<>();
        for (final String file : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (final String line : files.lines(file)) {
                final String[] fields = line.strip().split("\\s+", -1);
                if (fields.length > STATE_FIELD && fields[STATE_FIELD].equals(LISTENS)) {
                    final String port = fields[1].substring(fields[1].indexOf(':') + 1);
                    ports.add(Integer.parseInt(port, HEX));
                }
            }
        }
        return ports;
    }
}
