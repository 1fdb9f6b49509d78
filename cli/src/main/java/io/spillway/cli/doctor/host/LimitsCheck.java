// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.conf.InvalidSettingException;
import io.spillway.node.NodeKeys;
import io.spillway.protocol.ProtocolKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether the processes that serve map outputs may open enough files and connections. */
final class LimitsCheck implements Check {
    private static final String OPEN_FILES = "Max open files";

    /** What a NodeManager holds open beside: jars, logs, its own connections. */
    private static final long OTHERS = 512;

    private final HostFiles files;
    private final SiteFacts site;

    LimitsCheck(final HostFiles files, final SiteFacts site) {
        this.files = files;
        this.site = site;
    }

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        final List<HadoopDaemon> daemons = HadoopDaemon.all(files);
        final long needed = needed();
        for (final HadoopDaemon daemon : daemons) {
            daemon.limit(files, OPEN_FILES)
                    .filter(limit -> limit < needed)
                    .ifPresent(limit -> findings.add(few(daemon.toString(), limit, needed)));
        }
        if (daemons.isEmpty()) {
            ProcessLimits.of(files, "self", OPEN_FILES)
                    .filter(limit -> limit < needed)
                    .ifPresent(limit -> findings.add(few("a process of this user", limit, needed)));
        }
        return findings;
    }

    private long needed() {
        final Map<String, String> properties = site.properties();
        try {
            return NodeKeys.NODE_OPEN_FILES.get(properties::get)
                    + ProtocolKeys.NODE_MAX_CONNECTIONS.get(properties::get)
                    + OTHERS;
        } catch (final InvalidSettingException e) {
            return OTHERS; // the settings' check says so
        }
    }

    private static Finding few(final String whose, final long limit, final long needed) {
        return Finding.warning(
                whose + " may open " + limit + " files, expected " + needed,
                NodeKeys.NODE_OPEN_FILES
                        + ", "
                        + ProtocolKeys.NODE_MAX_CONNECTIONS
                        + " and its own: reducers wait when they are used up",
                "LimitNOFILE="
                        + needed
                        + " in its systemd unit, or ulimit -n "
                        + needed
                        + " before it is started");
    }
}
