// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was found on one host. Immutable.
 *
 * @param host its name, or that of a NodeManager
 * @param facts what should be the same on all hosts, by name
 * @param findings in the order of the checks
 */
public record HostFindings(String host, Map<String, String> facts, List<Finding> findings) {
    /** The fact that names the directory on a file system that all hosts share. */
    public static final String SHARED_DIRECTORY = "shared directory";

    /** Copies what is mutable. */
    public HostFindings {
        facts = Map.copyOf(new TreeMap<>(facts));
        findings = List.copyOf(findings);
    }
}
