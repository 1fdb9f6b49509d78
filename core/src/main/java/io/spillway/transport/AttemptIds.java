package io.spillway.transport;

import java.util.regex.Pattern;

/**
 * Checks the ids that come over the wire before any of them becomes part of a path. Thread-safe.
 */
public final class AttemptIds {
    private static final String JOB_PREFIX = "job_";
    private static final Pattern JOB = Pattern.compile("job_[0-9]{1,19}_[0-9]{1,10}");
    private static final Pattern MAP = Pattern.compile("_m_[0-9]{1,10}_[0-9]{1,10}");

    private AttemptIds() {}

    /** Whether {@code jobId} is the id of a job of a cluster. */
    public static boolean isJob(final String jobId) {
        return JOB.matcher(jobId).matches();
    }

    /** Whether {@code attempt} is the id of a map attempt of exactly this job. */
    public static boolean isMapAttemptOf(final String jobId, final String attempt) {
        if (!isJob(jobId)) {
            return false;
        }
        final String prefix = attemptPrefix(jobId);
        return attempt.startsWith(prefix)
                && MAP.matcher(attempt.substring(prefix.length())).matches();
    }

    /** What the attempt ids of a job begin with; the task's type follows. */
    public static String attemptPrefix(final String jobId) {
        return "attempt_" + number(jobId);
    }

    /** The id of the YARN application that a job runs as. */
    public static String applicationOf(final String jobId) {
        return "application_" + number(jobId);
    }

    private static String number(final String jobId) {
        if (!isJob(jobId)) {
            throw new IllegalArgumentException(
                    "jobId=" + jobId + ", expected such as job_1700000000000_0001");
        }
        return jobId.substring(JOB_PREFIX.length());
    }
}
