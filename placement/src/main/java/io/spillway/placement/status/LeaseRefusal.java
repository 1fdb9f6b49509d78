// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

/** Why there is no place for an output, or for a copy of it: it stays on the host of its map. */
public enum LeaseRefusal {
    /** No node that lives, knows the job and was not excluded has room. */
    NO_ROOM,
    /** Its job has all that a job may take. */
    JOB_QUOTA,
    /** The user of its job has all that a user may take. */
    USER_QUOTA,
    /** Its job has as many leases as a job may have at a time. */
    LEASES,
    /** The service does not know its job, or not yet. */
    UNKNOWN_JOB;

    /** Whether it is a quota's doing. */
    public boolean isQuota() {
        return this == JOB_QUOTA || this == USER_QUOTA;
    }
}
