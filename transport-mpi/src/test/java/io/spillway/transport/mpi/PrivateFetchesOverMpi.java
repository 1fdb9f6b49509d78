// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

/** Run by {@link ConformanceMain}, as a rank of a world. */
final class PrivateFetchesOverMpi extends FetchesOverMpi {
    @Override
    String protection() {
        return "privacy";
    }
}
