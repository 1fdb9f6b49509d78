// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * What was found on all hosts. Immutable.
 *
 * @param hosts each by itself
 * @param findings about all of them together
 */
public record DoctorReport(List<HostFindings> hosts, List<Finding> findings) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Copies what is mutable. */
    public DoctorReport {
        hosts = List.copyOf(hosts);
        findings = List.copyOf(findings);
    }

    /** As one line of JSON. */
    public String json() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (final JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads what {@link #json} has written.
     *
     * @throws IOException when it is something else
     */
    public static DoctorReport parse(final String json) throws IOException {
        try {
            return MAPPER.readValue(json, DoctorReport.class);
        } catch (final JsonProcessingException e) {
            throw new IOException("no report of spillway doctor: " + e.getOriginalMessage(), e);
        }
    }

    /** How many findings are of a severity. */
    public long count(final Severity severity) {
        return Stream.concat(
                        findings.stream(), hosts.stream().flatMap(host -> host.findings().stream()))
                .filter(finding -> finding.severity() == severity)
                .count();
    }
}
