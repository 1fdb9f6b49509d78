// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.report;

import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.HadoopSite;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Describes the build and the cluster of a measurement. */
public final class PlaceFacts {
    private PlaceFacts() {}

    /** Returns the facts by name. */
    public static Map<String, Object> of(final HadoopSite site) {
        final Map<String, Object> facts = new LinkedHashMap<>(new TreeMap<>(site.facts()));
        facts.put("commit", Commit.of(WorkOptions.repository()));
        facts.put("dataFolder", site.dataOnLocalFiles() ? "local files" : site.dataFolder());
        return facts;
    }
}
