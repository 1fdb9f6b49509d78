// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.report;

import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.HadoopSite;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The build and the place that figures are of. */
public final class PlaceFacts {
    private PlaceFacts() {}

    /** All that is known of them, by plain keys. */
    public static Map<String, Object> of(final HadoopSite site) {
        final Map<String, Object> facts = new LinkedHashMap<>(new TreeMap<>(site.facts()));
        facts.put("commit", Commit.of(WorkOptions.repository()));
        facts.put("dataFolder", site.dataOnLocalFiles() ? "local files" : site.dataFolder());
        return facts;
    }
}
