// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

/**
 * Where a framework's map outputs lie on a host, and how it spells the ids of jobs and of outputs.
 * Each output has a folder, which its id names. A framework registers its layout as a service, in
 * the jar that it gives nodes. Thread-safe.
 */
public interface MapOutputLayout {
    /**
     * Whether an output belongs to a job, by their ids. A client that has proved to know the job's
     * secret may read these outputs and no others.
     */
    boolean isOutputOf(String jobId, String output);

    /**
     * The folder in which the folders of a job's outputs lie, from a local directory on.
     *
     * @param user that the job runs as, the name of a folder
     * @throws IllegalArgumentException where {@code jobId} is not an id of the framework's
     */
    String jobFolder(String user, String jobId);

    /** The name of the data file of an output of one run. */
    String dataFile();

    /** The name of its index. */
    String indexFile();
}
