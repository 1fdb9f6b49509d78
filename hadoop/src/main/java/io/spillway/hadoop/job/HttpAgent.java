// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

/** By which header of a request over HTTP a node knows a reducer of Spillway. */
public final class HttpAgent {
    /** The header. */
    public static final String HEADER = "User-Agent";

    /** Its value. */
    public static final String VALUE = "Spillway";

    private HttpAgent() {}
}
