// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.node.MapOutputLayout;
import java.util.regex.Pattern;

/**
 * How MapReduce on YARN spells jobs, applications and map outputs, and the folders that it puts map
 * outputs into. The id of a map attempt names its output. Thread-safe.
 */
public final class MapReduceLayout implements MapOutputLayout {
    private static final String JOB_PREFIX = "job_";
    private static final Pattern JOB = Pattern.compile("job_[0-9]{1,19}_[0-9]{1,10}");
    private static final Pattern MAP = Pattern.compile("_m_[0-9]{1,10}_[0-9]{1,10}");

    private static boolean isJob(final String jobId) {
        return JOB.matcher(jobId).matches();
    }

    /** Whether the output is named as a map attempt of exactly this job. */
    @Override
    public boolean isOutputOf(final String jobId, final String output) {
        if (!isJob(jobId)) {
            return false;
        }
        final String prefix = "attempt_" + number(jobId);
        return output.startsWith(prefix)
                && MAP.matcher(output.substring(prefix.length())).matches();
    }

    /**
     * The id of the YARN application that a job runs as.
     *
     * @throws IllegalArgumentException where {@code jobId} is no job's
     */
    public static String applicationOf(final String jobId) {
        return "application_" + number(jobId);
    }

    @Override
    public String jobFolder(final String user, final String jobId) {
        return String.join("/", "usercache", user, "appcache", applicationOf(jobId), "output");
    }

    @Override
    public String dataFile() {
        return "file.out";
    }

    @Override
    public String indexFile() {
        return "file.out.index";
    }

    private static String number(final String jobId) {
        if (!isJob(jobId)) {
            throw new IllegalArgumentException(
                    "jobId=" + jobId + ", expected such as job_1700000000000_0001");
        }
        return jobId.substring(JOB_PREFIX.length());
    }
}
