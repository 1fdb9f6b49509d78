// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/** Who sorts and who shuffles. */
enum Shuffle {
    /** Spillway does both. */
    SPILLWAY,
    /**
     * Hadoop sorts, with outputs on disk. Reducers keep in memory what they fetch, as in the
     * published designs over RDMA (HPDIC 2013, HOMR).
     */
    STREAMED,
    /** Hadoop does both. */
    STOCK
}
