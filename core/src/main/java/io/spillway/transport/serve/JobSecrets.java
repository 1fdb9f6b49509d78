package io.spillway.transport.serve;

/** The serving side's view of the jobs it knows. Thread-safe; does not block. */
@FunctionalInterface
public interface JobSecrets {
    /**
     * The shuffle secret of a job; the caller does not change it.
     *
     * @return null when the job is not known
     */
    byte[] secretOf(String jobId);
}
